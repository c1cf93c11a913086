#include "proto/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/memory.h"
#include "common/random.h"
#include "common/record_member.h"

/* Something in every member of a record of any table. */
static void fill(const struct record_table *table, void *record, struct random *r);

static uint64_t fill_number(const struct record_row *row, struct random *r)
{
	uint64_t max = row->max ? row->max : row->kind == RECORD_U32 ? UINT32_MAX : UINT64_MAX;
	uint64_t span = max - row->min, count = 0;

	while (row->names && row->names[count])
		count++;
	if (row->names)
		return random_below(r, count);
	/* Small ones, large ones and the limits themselves. */
	switch (random_below(r, 4)) {
	case 0:
		return row->min;
	case 1:
		return max;
	case 2:
		return row->min + (span < 100 ? 0 : random_below(r, 100));
	default:
		return row->min + (span ? random_below(r, span) : 0);
	}
}

static char *fill_text(const struct record_row *row, struct random *r)
{
	static const char *const texts[] = {"", "a", "/mnt/a b", "b\303\274cher",
					    "\xf0\x9f\x98\x80"};

	if (!row->required && random_below(r, 8) == 0)
		return NULL;
	if (random_below(r, 8) > 0)
		return mem_text(texts[random_below(r, sizeof(texts) / sizeof(texts[0]))]);
	return mem_format("%0*d", (int)random_below(r, 70000) + 1, 7);
}

static void fill_list(const struct record_row *row, void *record, struct random *r)
{
	uint32_t count = (uint32_t)random_below(r, 4);
	char *elements = count ? mem_new(count, row->table->size) : NULL;

	for (uint32_t i = 0; i < count; i++)
		fill(row->table, elements + i * row->table->size, r);
	*(char **)record_member(row, record) = elements;
	*record_list_count(row, record) = count;
}

static void fill_member(const struct record_row *row, void *record, struct random *r)
{
	void *member = record_member(row, record);

	switch (row->kind) {
	case RECORD_BOOL:
		*(bool *)member = random_below(r, 2);
		break;
	case RECORD_U32:
		*(uint32_t *)member = (uint32_t)fill_number(row, r);
		break;
	case RECORD_U64:
		*(uint64_t *)member = fill_number(row, r);
		break;
	case RECORD_I64:
		*(int64_t *)member = -(int64_t)random_below(r, INT64_MAX);
		break;
	case RECORD_F64:
		*(double *)member = (double)random_next(r) / 3;
		break;
	case RECORD_TEXT:
		*(char **)member = fill_text(row, r);
		break;
	case RECORD_ONE:
		fill(row->table, member, r);
		break;
	case RECORD_MAYBE:
		*(void **)member = mem_new(1, row->table->size);
		fill(row->table, *(void **)member, r);
		break;
	case RECORD_LIST:
		fill_list(row, record, r);
		break;
	}
}

static void fill(const struct record_table *table, void *record, struct random *r)
{
	for (uint32_t i = 0; i < table->count; i++)
		fill_member(&table->rows[i], record, r);
}

static struct hello hello = {(char *)"0.1.0", (char *)"0123456789abcdef", (char *)"store1",
			     (char *)"muster"};
static const unsigned char hello_frame[] = "\x97\xa6muster\x01\xa5hello\xa5"
					   "0.1.0\xb0"
					   "0123456789abcdef\xa6store1\xa6muster";

static void put(struct bytes *into, const void *data, size_t size)
{
	into->data = mem_resize(into->data, into->size + size, 1);
	memcpy(into->data + into->size, data, size);
	into->size = into->capacity = into->size + size;
}

#define PUT(into, text) put(into, text, sizeof(text) - 1)

/* A frame of the kind with a random body; of hello and refuse with all texts. */
static void make(struct bytes *frame, enum message_kind kind, struct random *r)
{
	struct envelope envelope = {.kind = kind,
				    .lease = "0123456789abcdef0123456789abcdef",
				    .phase = (uint32_t)random_next(r),
				    .attempt = 3};
	const struct record_table *table = message_types[kind].table;
	void *body = mem_new(1, table->size);

	fill(table, body, r);
	if (kind == MESSAGE_HELLO || kind == MESSAGE_REFUSE) {
		record_release(table, body);
		for (uint32_t i = 0; i < table->count; i++)
			*(char **)record_member(&table->rows[i], body) = mem_format("text %u", i);
	}
	codec_pack(&envelope, body, frame);
	record_release(table, body);
	free(body);
}

/* Refused: as a copy on the heap, so that the sanitizer sees each byte read beyond it. */
static void refused(const unsigned char *data, size_t size, const char *why)
{
	unsigned char *copy = memcpy(mem_new(size, 1), data, size);
	struct error err = {0};
	struct message message;

	if (codec_unpack(copy, size, &message, &err) == 0)
		fail_msg("%zu bytes are accepted: %s", size, why);
	assert_int_equal(err.kind, ERROR_PROTOCOL);
	assert_null(message.body);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" does not say \"%s\"", err.text, why);
	free(copy);
}

static void accepted(const unsigned char *data, size_t size, struct message *message)
{
	struct error err = {0};

	if (codec_unpack(data, size, message, &err) < 0)
		fail_msg("refused: %s", err.text);
}

static void every_kind_comes_back_as_it_went(void **state)
{
	(void)state;
	struct random r = {1};

	for (int i = 0; i < MESSAGE_KINDS * 50; i++) {
		struct bytes frame = {0}, again = {0};
		struct message message;
		make(&frame, (enum message_kind)(i % MESSAGE_KINDS), &r);
		accepted(frame.data, frame.size, &message);
		assert_int_equal(message.envelope.kind, i % MESSAGE_KINDS);
		codec_pack(&message.envelope, message.body, &again);
		assert_int_equal(again.size, frame.size);
		assert_memory_equal(again.data, frame.data, frame.size);
		message_release(&message);
		free(frame.data);
		free(again.data);
	}
}

static void members_arrive_where_they_were(void **state)
{
	(void)state;
	struct envelope envelope = {
		.kind = MESSAGE_PROBED, .lease = "ab", .phase = 7, .attempt = 2};
	struct probed probed = {.t1_ns = 1, .t2_ns = UINT64_MAX, .t3_ns = 1000000};
	struct bytes frame = {0};
	struct message message;

	codec_pack(&envelope, &probed, &frame);
	accepted(frame.data, frame.size, &message);
	const struct probed *came = message.body;
	assert_int_equal(message.envelope.kind, MESSAGE_PROBED);
	assert_string_equal(message.envelope.lease, "ab");
	assert_int_equal(message.envelope.phase, 7);
	assert_int_equal(message.envelope.attempt, 2);
	assert_int_equal(came->t1_ns, 1);
	assert_int_equal(came->t2_ns, UINT64_MAX);
	assert_int_equal(came->t3_ns, 1000000);
	message_release(&message);
	free(frame.data);
}

static void a_frame_is_appended_to_what_is_there(void **state)
{
	(void)state;
	struct envelope envelope = {.kind = MESSAGE_ACK};
	struct ack ack = {.sequence = 5};
	struct bytes frame = {0};
	struct message message;

	PUT(&frame, "before");
	codec_pack(&envelope, &ack, &frame);
	assert_memory_equal(frame.data, "before", 6);
	accepted(frame.data + 6, frame.size - 6, &message);
	assert_int_equal(((struct ack *)message.body)->sequence, 5);
	message_release(&message);
	free(frame.data);
}

/* A rogue peer's words go to terminals by many ways: there is one gate. */
static void what_a_terminal_would_obey_does_not_come_in(void **state)
{
	(void)state;
	struct envelope envelope = {.kind = MESSAGE_READY};
	struct name notes[] = {{(char *)"fine, b\303\274cher"},
			       {(char *)"a\x1b]0;title\x07\nno host refuses"}};
	struct ready ready = {.notes = notes, .notes_count = 2};
	struct refuse refuse = {.version = (char *)"1",
				.fingerprint = (char *)"f",
				.host = (char *)"h\xc2\x9b"
						"2J",
				.reason = (char *)"\xe2\x80\xae no"};
	struct bytes frame = {0};
	struct message message;

	codec_pack(&envelope, &ready, &frame);
	accepted(frame.data, frame.size, &message);
	const struct ready *came = message.body;
	assert_string_equal(came->notes[0].name, "fine, b\303\274cher");
	assert_string_equal(came->notes[1].name, "a?]0;title??no host refuses");
	message_release(&message);

	frame.size = 0;
	envelope.kind = MESSAGE_REFUSE;
	codec_pack(&envelope, &refuse, &frame);
	accepted(frame.data, frame.size, &message);
	assert_string_equal(((struct refuse *)message.body)->host, "h?2J");
	assert_string_equal(((struct refuse *)message.body)->reason, "? no");
	message_release(&message);
	free(frame.data);
}

/* These bytes never change: every build ever made reads them. */
static void hello_is_the_same_for_ever(void **state)
{
	(void)state;
	struct envelope envelope = {.kind = MESSAGE_HELLO, .lease = "ab", .phase = 9};
	struct refuse refuse = {(char *)"1", (char *)"2", (char *)"3", (char *)"no"};
	struct bytes frame = {0};

	codec_pack(&envelope, &hello, &frame);
	assert_int_equal(frame.size, sizeof(hello_frame) - 1);
	assert_memory_equal(frame.data, hello_frame, frame.size);
	frame.size = 0;
	envelope.kind = MESSAGE_REFUSE;
	codec_pack(&envelope, &refuse, &frame);
	assert_int_equal(frame.size, sizeof("\x97\xa6muster\x01\xa6refuse\xa1"
					    "1\xa1"
					    "2\xa1"
					    "3\xa2no") -
					     1);
	assert_memory_equal(frame.data,
			    "\x97\xa6muster\x01\xa6refuse\xa1"
			    "1\xa1"
			    "2\xa1"
			    "3\xa2no",
			    frame.size);
	free(frame.data);
}

#define GREETING                                                                                   \
	"\xa6muster\x01\xa5hello\xa1v\xa1"                                                         \
	"f\xa1h\xa1p"
#define OTHER_FORMAT                                                                               \
	"\xa6muster\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xa5hello\xa1v\xa1"                         \
	"f\xa1h\xa1p"

static void hello_of_a_later_build_is_readable(void **state)
{
	(void)state;
	static const struct {
		const char *frame;
		size_t size;
	} rows[] = {
		{"\x97" GREETING, sizeof("\x97" GREETING) - 1},
		{"\x97" OTHER_FORMAT, sizeof("\x97" OTHER_FORMAT) - 1},
		{"\x98" GREETING "\xc0", sizeof("\x98" GREETING "\xc0") - 1},
		{"\x99" GREETING "\x93\x01\x02\xa1x\x81\xa1k\xc3",
		 sizeof("\x99" GREETING "\x93\x01\x02\xa1x\x81\xa1k\xc3") - 1},
		{"\xdc\x00\x07" GREETING, sizeof("\xdc\x00\x07" GREETING) - 1},
		{"\xdc\x00\x10" GREETING "\1\1\1\1\1\1\1\1\1",
		 sizeof("\xdc\x00\x10" GREETING "\1\1\1\1\1\1\1\1\1") - 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct message message;
		accepted((const unsigned char *)rows[i].frame, rows[i].size, &message);
		const struct hello *came = message.body;
		assert_int_equal(message.envelope.kind, MESSAGE_HELLO);
		assert_string_equal(message.envelope.lease, "");
		assert_string_equal(came->version, "v");
		assert_string_equal(came->fingerprint, "f");
		assert_string_equal(came->host, "h");
		assert_string_equal(came->program, "p");
		message_release(&message);
	}
}

#define ROW(bytes, why)                                                                            \
	{                                                                                          \
		(const unsigned char *)(bytes), sizeof(bytes) - 1, why                             \
	}
/* ["ack", "", 0, 0, [1]] and its parts */
#define ACK                                                                                        \
	"\xa3"                                                                                     \
	"ack"
#define BODY "\x91\x01"

static void what_is_no_message_is_refused(void **state)
{
	(void)state;
	static const struct {
		const unsigned char *frame;
		size_t size;
		const char *why;
	} rows[] = {
		ROW("", ""),
		ROW("\xc0", "must be an array"),
		ROW("\x81\x01\x02", "must be an array"),
		ROW("\x90", "message of 0 elements"),
		ROW("\x94" ACK "\xa0\x00\x00", "message of 4 elements"),
		ROW("\x96" ACK "\xa0\x00\x00" BODY "\xc0", "message of 6 elements"),
		ROW("\x95" ACK "\xa0\x00\x00" BODY "\xc0", ""), /* a byte more */
		ROW("\x95\xa3"
		    "axk\xa0\x00\x00" BODY,
		    "unknown kind 'axk'"),
		ROW("\x95\xa0\xa0\x00\x00" BODY, "unknown kind ''"),
		ROW("\x95\xa5hello\xa0\x00\x00" BODY, "unknown kind 'hello'"),
		ROW("\x95\x01\xa0\x00\x00" BODY, "'kind' is not text"),
		ROW("\x95\xc0\xa0\x00\x00" BODY, "'kind' is absent"),
		ROW("\x95" ACK "\xc0\x00\x00" BODY, "'lease' is absent"),
		ROW("\x95" ACK "\x01\x00\x00" BODY, "'lease' is not text"),
		ROW("\x95" ACK "\xa2"
		    "xy\x00\x00" BODY,
		    "lease 'xy' is not"),
		ROW("\x95" ACK "\xd9\x21"
		    "0123456789abcdef0123456789abcdef0\x00\x00" BODY,
		    "is not at most 32 hex digits"),
		ROW("\x95" ACK "\xa2"
		    "a\0\x00\x00" BODY,
		    "'lease' is not text"),
		ROW("\x95" ACK "\xa0\xff\x00" BODY, "'phase' is out of range"),
		ROW("\x95" ACK "\xa0\x00\xa0" BODY, "'attempt' is not an integer"),
		ROW("\x95" ACK "\xa0\xcf\x00\x00\x00\x01\x00\x00\x00\x00\x00" BODY,
		    "'phase' is out of range"),
		ROW("\x95" ACK "\xa0\x00\x00\xc0", "message 'ack': "),
		ROW("\x95" ACK "\xa0\x00\x00\x90", "message 'ack': "),
		ROW("\x95" ACK "\xa0\x00\x00\x92\x01\x01", "message 'ack': "),
		ROW("\x95" ACK "\xa0\x00\x00\x91\xff", "message 'ack': "),
		ROW("\x95" ACK "\xa0\x00\x00\x91\xa1x", "message 'ack': "),
		ROW("\x95" ACK "\xa0\x00\x00\x91\xca\x3f\x80\x00\x00", "message 'ack': "),
		/* text in a body: with NUL, and not UTF-8 */
		ROW("\x95\xa5"
		    "abort\xa0\x00\x00\x91\xa2x\0",
		    "'reason' is not text"),
		ROW("\x95\xa5"
		    "abort\xa0\x00\x00\x91\xa2\xc3\x28",
		    "'reason' is not text"),
		ROW("\x95\xa5"
		    "abort\xa0\x00\x00\x91\xa3\xed\xa0\x80",
		    "'reason' is not text"),
		ROW("\x95\xa5"
		    "abort\xa0\x00\x00\x91\xc4\x01x",
		    "'reason' is not text"),
		/* an enumeration by a name that it has not */
		ROW("\x95\xa6"
		    "failed\xa0\x00\x00\x94\xa4hmmm\xc0\xa1x\xc0",
		    "none of its names"),
		/* lies about lengths */
		ROW("\xdd\xff\x00\x00\x00", ""),
		ROW("\xdf\xff\x00\x00\x00", ""),
		ROW("\xdb\xff\xff\xff\xff", ""),
		ROW("\x95" ACK "\xa0\x00\x00\xdd\xff\xff\xff\xff", ""),
		/* nested ten deep */
		ROW("\x95" ACK "\xa0\x00\x00\x91\x91\x91\x91\x91\x91\x91\x91\x91\x01", ""),
		/* greetings */
		ROW("\x96\xa6muster\x01\xa5hello\xa1v\xa1"
		    "f\xa1h",
		    "greeting of 6 elements"),
		ROW("\x97\xa6muster\x01\xa5howdy\xa1v\xa1"
		    "f\xa1h\xa1p",
		    "greeting is a 'howdy'"),
		ROW("\x97\xa6muster\xff\xa5hello\xa1v\xa1"
		    "f\xa1h\xa1p",
		    "'format'"),
		ROW("\x97\xa6muster\xa1"
		    "1\xa5hello\xa1v\xa1"
		    "f\xa1h\xa1p",
		    "'format'"),
		ROW("\x97\xa6muster\x01\x05\xa1v\xa1"
		    "f\xa1h\xa1p",
		    "'kind' is not text"),
		ROW("\x97\xa6muster\x01\xa5hello\xc0\xa1"
		    "f\xa1h\xa1p",
		    "'version' is absent"),
		ROW("\x97\xa6muster\x01\xa5hello\xa1v\xa1"
		    "f\xa1h\xc0",
		    "'text' is absent"),
		ROW("\x97\xa6muster\x01\xa5hello\xa1v\xa1"
		    "f\xa1\xff\xa1p",
		    "'host' is not text"),
		ROW("\x97\xa6muster\x01\xa5hello\xa1v\xa1"
		    "f\xa1\0\xa1p",
		    "'host' is not text"),
		ROW("\x97\xa6mustex\x01\xa5hello\xa1v\xa1"
		    "f\xa1h\xa1p",
		    "message of 7 elements"),
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		refused(rows[i].frame, rows[i].size, rows[i].why);
}

static void every_shortened_frame_is_refused(void **state)
{
	(void)state;
	struct random r = {3};

	for (int kind = 0; kind < MESSAGE_KINDS; kind++) {
		struct bytes frame = {0};
		make(&frame, (enum message_kind)kind, &r);
		size_t most = frame.size < 4096 ? frame.size : 4096;
		for (size_t size = 0; size < most; size++)
			refused(frame.data, size, "");
		for (size_t size = frame.size - most; size < frame.size; size++)
			refused(frame.data, size, "");
		PUT(&frame, "\xc0");
		refused(frame.data, frame.size, "");
		free(frame.data);
	}
}

/* What is too large is refused by its size alone, before a byte of it is read. */
static void a_frame_beyond_16_mib_is_refused(void **state)
{
	(void)state;
	size_t size = CODEC_FRAME_MAX + 1;
	unsigned char *zeros = mem_new(size, 1);

	refused(zeros, size, "at most 16777216 are allowed");
	free(zeros);
}

static void a_head_or_greeting_that_is_too_large_is_refused(void **state)
{
	(void)state;
	struct bytes frame = {0};
	unsigned char *text = mem_new(20000, 1);

	memset(text, 'a', 20000);
	PUT(&frame, "\x95\xda\x4e\x20");
	put(&frame, text, 20000);
	PUT(&frame, "\xa0\x00\x00" BODY);
	refused(frame.data, frame.size, "head of 20007 bytes; at most 256 are allowed");
	frame.size = 0;
	PUT(&frame, "\x97\xa6muster\x01\xa5hello\xa1v\xa1"
		    "f\xa1h\xda\x4e\x20");
	put(&frame, text, 20000);
	refused(frame.data, frame.size, "at most 16384 are allowed");
	free(frame.data);
	free(text);
}

static void the_fingerprint_is_16_hex_digits_and_steady(void **state)
{
	(void)state;
	char first[17], second[17];

	codec_fingerprint(first);
	codec_fingerprint(second);
	assert_string_equal(first, second);
	assert_int_equal(strlen(first), 16);
	assert_int_equal(strspn(first, "0123456789abcdef"), 16);
}

static void releasing_nothing_is_fine(void **state)
{
	(void)state;
	struct message none = {0};

	message_release(&none);
	assert_null(none.body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_comes_back_as_it_went),
		cmocka_unit_test(members_arrive_where_they_were),
		cmocka_unit_test(a_frame_is_appended_to_what_is_there),
		cmocka_unit_test(what_a_terminal_would_obey_does_not_come_in),
		cmocka_unit_test(hello_is_the_same_for_ever),
		cmocka_unit_test(hello_of_a_later_build_is_readable),
		cmocka_unit_test(what_is_no_message_is_refused),
		cmocka_unit_test(every_shortened_frame_is_refused),
		cmocka_unit_test(a_frame_beyond_16_mib_is_refused),
		cmocka_unit_test(a_head_or_greeting_that_is_too_large_is_refused),
		cmocka_unit_test(the_fingerprint_is_16_hex_digits_and_steady),
		cmocka_unit_test(releasing_nothing_is_fine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
