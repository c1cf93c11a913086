/* What came of a host's spool: each frame counts once, whatever was asked again meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "common/memory.h"
#include "controller/fetch_chunk.h"

static const struct fetch first = {.run = (char *)"r", .phase = 3, .attempt = 1};
static const struct fetch second = {.run = (char *)"r", .phase = 3, .attempt = 1, .offset = 100};

static void add(struct fetch_chunk *chunk, uint64_t from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct ack *ack = mem_new(1, sizeof(*ack));
		struct message message = {.envelope = {.kind = MESSAGE_ACK}, .body = ack};
		ack->sequence = from + i;
		fetch_chunk_add(chunk, &message);
		assert_null(message.body);
	}
}

static bool end(struct fetch_chunk *chunk, const struct fetch *asked, const struct fetch *answered,
		uint32_t frames)
{
	const struct fetched fetched = {.run = answered->run,
					.phase = answered->phase,
					.attempt = answered->attempt,
					.offset = answered->offset,
					.frames = frames};

	return fetch_chunk_end(chunk, asked, &fetched);
}

static void require(const struct fetch_chunk *chunk, uint64_t from, uint32_t count)
{
	assert_int_equal(chunk->count, count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(((const struct ack *)chunk->frames[i].body)->sequence, from + i);
}

static void an_answer_is_what_came(void **state)
{
	struct fetch_chunk chunk = {0};

	(void)state;
	add(&chunk, 10, 3);
	assert_true(end(&chunk, &first, &first, 3));
	require(&chunk, 10, 3);
	fetch_chunk_release(&chunk);
	assert_true(end(&chunk, &first, &first, 0));
	require(&chunk, 0, 0);
	fetch_chunk_release(&chunk);
}

/* Asked for again after a stall, the first answer comes twice, also when the second is asked for.
 */
static void the_second_answer_to_one_question_is_dropped(void **state)
{
	struct fetch_chunk chunk = {0};

	(void)state;
	add(&chunk, 10, 3);
	assert_false(end(&chunk, &second, &first, 3));
	require(&chunk, 0, 0);
	add(&chunk, 13, 2);
	assert_true(end(&chunk, &second, &second, 2));
	require(&chunk, 13, 2);
	fetch_chunk_release(&chunk);
	add(&chunk, 10, 3);
	assert_false(end(&chunk, NULL, &first, 3));
	require(&chunk, 0, 0);
}

/* Its queue was full: what went of the first answer has no end. */
static void a_part_of_an_answer_before_the_whole_is_dropped(void **state)
{
	struct fetch_chunk chunk = {0};

	(void)state;
	add(&chunk, 10, 2);
	add(&chunk, 10, 3);
	assert_true(end(&chunk, &first, &first, 3));
	require(&chunk, 10, 3);
	fetch_chunk_release(&chunk);
}

static void an_answer_that_is_not_whole_is_none(void **state)
{
	struct fetch_chunk chunk = {0};

	(void)state;
	add(&chunk, 11, 2);
	assert_false(end(&chunk, &first, &first, 3));
	require(&chunk, 0, 0);
}

/* Of an agent that means harm, or was asked again and again over a link that breaks. */
static void what_has_no_end_takes_no_memory_without_end(void **state)
{
	struct fetch_chunk chunk = {0};
	const size_t size = 1000;
	size_t most = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		struct message message = {.envelope = {.kind = MESSAGE_ACK},
					  .body = mem_new(1, sizeof(struct ack)),
					  .size = size};
		fetch_chunk_add(&chunk, &message);
		assert_true(chunk.bytes == chunk.count * size);
		most = chunk.bytes > most ? chunk.bytes : most;
	}
	assert_true(most <= FETCH_CHUNK_MOST + size);
	assert_true(most > FETCH_PIECE_BYTES * 2); /* an answer cut short, and the whole */
	fetch_chunk_release(&chunk);
	assert_int_equal(chunk.bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_what_came),
		cmocka_unit_test(the_second_answer_to_one_question_is_dropped),
		cmocka_unit_test(a_part_of_an_answer_before_the_whole_is_dropped),
		cmocka_unit_test(an_answer_that_is_not_whole_is_none),
		cmocka_unit_test(what_has_no_end_takes_no_memory_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
