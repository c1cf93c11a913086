#include "controller/clock_record.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/utf8.h"

#define MAGIC       "MUSTERCK"
#define MAGIC_SIZE  8
#define FORMAT      1
#define NAME_MOST   255
#define NUMBER_SIZE 10 /* 64 bits, seven a byte */
/* The least that each takes in a file. */
#define HOST_LEAST   3
#define SAMPLE_LEAST 6

static void put(struct bytes *into, uint64_t value)
{
	unsigned char bytes[NUMBER_SIZE];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (unsigned char)(value | 0x80);
	bytes[size++] = (unsigned char)value;
	bytes_append(into, bytes, size);
}

/* Of a difference modulo 2^64, so that small ones of either sign are short. */
static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

static uint64_t theta(const struct clock_sample *s)
{
	return s->t2 - s->t1;
}

static void put_sample(struct bytes *into, const struct clock_sample *s,
		       const struct clock_sample *before)
{
	put(into, s->t1 - before->t1);
	put(into, s->t4 - s->t1);
	put(into, zigzag(theta(s) - theta(before)));
	put(into, zigzag(s->t3 - s->t2));
	put(into, (uint64_t)s->upper_error_ns << 2 | (uint64_t)s->stamp);
	put(into, zigzag((uint64_t)s->lower_error_ns - s->upper_error_ns));
}

void clock_record_pack(const struct clock_record *record, struct bytes *into)
{
	bytes_append(into, MAGIC, MAGIC_SIZE);
	put(into, FORMAT);
	put(into, record->count);
	for (uint32_t i = 0; i < record->count; i++) {
		const struct clock_record_host *host = &record->hosts[i];
		struct clock_sample before = {0};
		put(into, strlen(host->host));
		bytes_append(into, host->host, strlen(host->host));
		put(into, host->count);
		for (uint32_t k = 0; k < host->count; k++) {
			put_sample(into, &host->samples[k], &before);
			before = host->samples[k];
		}
	}
}

struct reader {
	const unsigned char *data;
	size_t size, at;
	struct error *err;
};

static int complain(const struct reader *r, const char *what)
{
	error_set(r->err, ERROR_USAGE, "clock record, byte %zu: %s", r->at, what);
	return -1;
}

static int get(struct reader *r, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < NUMBER_SIZE; i++) {
		if (r->at == r->size)
			return complain(r, "it ends within a number");
		unsigned char byte = r->data[r->at++];
		if (i == NUMBER_SIZE - 1 && byte > 1)
			break;
		*value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte & 0x80)
			continue;
		return byte || !i ? 0 : complain(r, "a number is longer than it must be");
	}
	return complain(r, "a number has more than 64 bits");
}

/* How many of something follow that take `least` bytes each. */
static int get_count(struct reader *r, size_t least, uint32_t *count)
{
	uint64_t value;

	if (get(r, &value) < 0)
		return -1;
	if (value > (r->size - r->at) / least || value > UINT32_MAX)
		return complain(r, "more is announced than there is");
	*count = (uint32_t)value;
	return 0;
}

static int get_errors(struct reader *r, struct clock_sample *s)
{
	uint64_t upper, lower;

	if (get(r, &upper) < 0 || get(r, &lower) < 0)
		return -1;
	lower = (upper >> 2) + unzigzag(lower);
	if (upper >> 2 > UINT32_MAX || lower > UINT32_MAX || (upper & 3) > CLOCK_STAMP_KERNEL)
		return complain(r, "stamps of no kind, or with impossible errors");
	s->stamp = (enum clock_stamp)(upper & 3);
	s->upper_error_ns = (uint32_t)(upper >> 2);
	s->lower_error_ns = (uint32_t)lower;
	return 0;
}

static int get_sample(struct reader *r, const struct clock_sample *before, struct clock_sample *s)
{
	uint64_t since, away, turned, held;

	if (get(r, &since) < 0 || get(r, &away) < 0 || get(r, &turned) < 0 || get(r, &held) < 0)
		return -1;
	if (since > UINT64_MAX - before->t1 || away > UINT64_MAX - before->t1 - since)
		return complain(r, "an instant that no clock can show");
	s->t1 = before->t1 + since;
	s->t4 = s->t1 + away;
	s->t2 = s->t1 + theta(before) + unzigzag(turned);
	s->t3 = s->t2 + unzigzag(held);
	return get_errors(r, s);
}

static int get_name(struct reader *r, char **name)
{
	uint32_t size;

	if (get_count(r, 1, &size) < 0)
		return -1;
	const char *text = (const char *)r->data + r->at;
	if (!size || size > NAME_MOST || memchr(text, 0, size) || utf8_valid(text, size) != size)
		return complain(r, "no name of a host");
	*name = mem_new(size + 1, 1);
	memcpy(*name, text, size);
	r->at += size;
	return 0;
}

static int get_host(struct reader *r, struct clock_record_host *host)
{
	struct clock_sample before = {0};
	uint32_t count;

	if (get_name(r, &host->host) < 0 || get_count(r, SAMPLE_LEAST, &count) < 0)
		return -1;
	host->samples = mem_new(count, sizeof(*host->samples));
	host->count = count;
	for (uint32_t i = 0; i < count; i++) {
		if (get_sample(r, &before, &host->samples[i]) < 0)
			return -1;
		before = host->samples[i];
	}
	return 0;
}

static int get_format(struct reader *r)
{
	uint64_t format;

	if (r->size < MAGIC_SIZE || memcmp(r->data, MAGIC, MAGIC_SIZE) != 0)
		return complain(r, "it does not begin with '" MAGIC "'");
	r->at = MAGIC_SIZE;
	if (get(r, &format) < 0)
		return -1;
	if (format != FORMAT) {
		error_set(r->err, ERROR_USAGE,
			  "clock record, byte %zu: format %" PRIu64 ", this program reads %d",
			  r->at, format, FORMAT);
		return -1;
	}
	return 0;
}

static int get_record(struct reader *r, struct clock_record *record)
{
	uint32_t count;

	if (get_format(r) < 0 || get_count(r, HOST_LEAST, &count) < 0)
		return -1;
	record->hosts = mem_new(count, sizeof(*record->hosts));
	record->count = count;
	for (uint32_t i = 0; i < count; i++)
		if (get_host(r, &record->hosts[i]) < 0)
			return -1;
	return r->at == r->size ? 0 : complain(r, "more follows than was announced");
}

int clock_record_unpack(struct clock_record *record, const unsigned char *data, size_t size,
			struct error *err)
{
	struct reader r = {.data = data, .size = size, .err = err};

	if (get_record(&r, record) == 0)
		return 0;
	clock_record_release(record);
	return -1;
}

void clock_record_release(struct clock_record *record)
{
	for (uint32_t i = 0; i < record->count; i++) {
		free(record->hosts[i].host);
		free(record->hosts[i].samples);
	}
	free(record->hosts);
	*record = (struct clock_record){0};
}
