#include "common/record_msgpack.h"

#include <stdbool.h>
#include <stdint.h>

/* Containers in one another: a frame's deepest lists need six. */
enum { NESTED_MAX = 7 };

/* What the first byte of a value says about the rest of it. */
struct head {
	unsigned width;  /* bytes of a length after the first byte */
	uint64_t bytes;  /* that follow, when there is no length */
	uint64_t values; /* that follow, when there is no length */
	unsigned per;    /* 1: the length counts values of an array; 2: pairs of a map */
	unsigned type;   /* byte between length and bytes (ext) */
	bool never;      /* 0xc1 */
};

/* 0xc0 to 0xdf, in order (the msgpack specification's table of formats). */
static const struct head heads[32] = {
	/* nil, never used, false, true */
	{0},
	{.never = true},
	{0},
	{0},
	/* bin 8, 16, 32 */
	{.width = 1},
	{.width = 2},
	{.width = 4},
	/* ext 8, 16, 32 */
	{.width = 1, .type = 1},
	{.width = 2, .type = 1},
	{.width = 4, .type = 1},
	/* float 32, 64 */
	{.bytes = 4},
	{.bytes = 8},
	/* unsigned 8, 16, 32, 64 */
	{.bytes = 1},
	{.bytes = 2},
	{.bytes = 4},
	{.bytes = 8},
	/* signed 8, 16, 32, 64 */
	{.bytes = 1},
	{.bytes = 2},
	{.bytes = 4},
	{.bytes = 8},
	/* fixext 1, 2, 4, 8, 16, with their type */
	{.bytes = 2},
	{.bytes = 3},
	{.bytes = 5},
	{.bytes = 9},
	{.bytes = 17},
	/* str 8, 16, 32 */
	{.width = 1},
	{.width = 2},
	{.width = 4},
	/* array 16, 32 */
	{.width = 2, .per = 1},
	{.width = 4, .per = 1},
	/* map 16, 32 */
	{.width = 2, .per = 2},
	{.width = 4, .per = 2},
};

static struct head head_of(unsigned char first)
{
	if (first < 0x80 || first >= 0xe0)
		return (struct head){0}; /* a small integer */
	if (first < 0x90)
		return (struct head){.values = (first & 0x0fu) * 2u, .per = 2};
	if (first < 0xa0)
		return (struct head){.values = first & 0x0fu, .per = 1};
	if (first < 0xc0)
		return (struct head){.bytes = first & 0x1fu};
	return heads[first - 0xc0];
}

/* Where a walk is: `left` values are still to come at each level. */
struct walk {
	const unsigned char *data;
	size_t size, at;
	uint64_t left[NESTED_MAX + 1];
	unsigned level;
	const char *wrong;
};

/* Steps over the head of a value and its own bytes; its elements, if any, are the next level. */
static bool step_value(struct walk *w)
{
	struct head head = head_of(w->data[w->at++]);
	uint64_t length = 0;

	if (head.never) {
		w->wrong = "byte 0xc1 means nothing";
		return false;
	}
	if (head.width > w->size - w->at) {
		w->wrong = "ends inside a length";
		return false;
	}
	for (unsigned i = 0; i < head.width; i++)
		length = length << 8 | w->data[w->at++];
	if (head.per)
		head.values += length * head.per;
	else
		head.bytes += length + head.type;
	/* Every value is at least a byte, so a lie about how many there are shows at once. */
	if (head.bytes > w->size - w->at || head.values > w->size - w->at) {
		w->wrong = "declares more than there is";
		return false;
	}
	w->at += (size_t)head.bytes;
	if (head.per && w->level == NESTED_MAX) {
		w->wrong = "is nested 8 deep or more";
		return false;
	}
	if (head.per)
		w->left[++w->level] = head.values;
	return true;
}

/* Walks until no value is left. Each step takes a byte at least: linear in the input. */
static bool walk_all(struct walk *w)
{
	for (;;) {
		while (w->left[w->level] == 0) {
			if (w->level == 0)
				return true;
			w->level--;
		}
		w->left[w->level]--;
		if (w->at == w->size) {
			w->wrong = "ends before its last value";
			return false;
		}
		if (!step_value(w))
			return false;
	}
}

int record_walk(const unsigned char *data, size_t size, unsigned values, struct error *err)
{
	struct walk w = {.data = data, .size = size, .left = {values}};

	if (walk_all(&w) && w.at == size)
		return 0;
	error_set(err, ERROR_PROTOCOL, "malformed message of %zu bytes: at byte %zu it %s", size,
		  w.at, w.wrong ? w.wrong : "should end and goes on");
	return -1;
}

size_t record_walk_one(const unsigned char *data, size_t size)
{
	struct walk w = {.data = data, .size = size, .left = {1}};

	return walk_all(&w) ? w.at : 0;
}
