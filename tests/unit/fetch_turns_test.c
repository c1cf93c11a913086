/* Who is asked when: a slow link that all hosts share moves each piece once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "common/clock.h"
#include "controller/fetch_turns.h"

#define S NS_PER_S

static struct fetch_turns turns;

static void begin(uint32_t hosts)
{
	fetch_turns_init(&turns, hosts);
}

static void end(void)
{
	fetch_turns_release(&turns);
}

static enum fetch_turn at(uint64_t now_ns)
{
	return fetch_turns_next(&turns, 0, now_ns);
}

static void few_are_asked_at_once(void **state)
{
	(void)state;
	begin(20);
	for (uint32_t h = 0; h < 20; h++) {
		bool has_room = h < FETCH_AT_ONCE;
		assert_int_equal(fetch_turns_next(&turns, h, S),
				 has_room ? FETCH_TURN_ASK : FETCH_TURN_WAIT);
		if (has_room)
			fetch_turns_ask(&turns, h, S);
	}
	fetch_turns_ask(&turns, 3, 10 * S); /* once more: still one place */
	fetch_turns_end(&turns, 3);
	fetch_turns_end(&turns, 19); /* was not asked: gives no place */
	assert_int_equal(fetch_turns_next(&turns, 19, 10 * S), FETCH_TURN_ASK);
	fetch_turns_ask(&turns, 19, 10 * S);
	assert_int_equal(fetch_turns_next(&turns, 18, 10 * S), FETCH_TURN_WAIT);
	end();
}

/* Whatever was asked is still on its way as long as anything comes. */
static void it_is_asked_again_only_after_silence(void **state)
{
	(void)state;
	begin(1);
	fetch_turns_ask(&turns, 0, 0);
	for (uint64_t now = 0; now < 300 * S; now += 4 * S) {
		fetch_turns_hear(&turns, 0, now);
		assert_int_equal(at(now + 4 * S), FETCH_TURN_WAIT);
	}
	assert_int_equal(at(301 * S), FETCH_TURN_ASK);
	end();
}

/* A lost question costs seconds; a link on which frames are seconds apart, a few answers. */
static void it_is_asked_again_less_and_less_often(void **state)
{
	static const uint64_t instants_s[] = {5, 15, 35};
	uint64_t asked = 0, now;

	(void)state;
	begin(1);
	fetch_turns_ask(&turns, 0, 0);
	for (now = 0; at(now) != FETCH_TURN_SILENT; now += S / 10)
		if (at(now) == FETCH_TURN_ASK) {
			assert_true(asked < 3);
			assert_int_equal(now, instants_s[asked++] * S);
			fetch_turns_ask(&turns, 0, now);
		}
	assert_int_equal(asked, 3);
	assert_int_equal(now, 60 * S);
	/* The next piece is not asked for sooner again. */
	fetch_turns_end(&turns, 0);
	fetch_turns_ask(&turns, 0, 100 * S);
	assert_int_equal(at(129 * S), FETCH_TURN_WAIT);
	assert_int_equal(at(130 * S), FETCH_TURN_ASK);
	end();
}

static void a_piece_that_does_not_become_whole_has_an_end(void **state)
{
	uint64_t now;

	(void)state;
	begin(1);
	fetch_turns_ask(&turns, 0, 0);
	for (now = 0; at(now) == FETCH_TURN_WAIT; now += S)
		fetch_turns_hear(&turns, 0, now);
	assert_int_equal(at(now), FETCH_TURN_SLOW);
	assert_int_equal(now, 600 * S);
	/* Each piece has its own time. */
	fetch_turns_end(&turns, 0);
	fetch_turns_ask(&turns, 0, now);
	assert_int_equal(at(now + S), FETCH_TURN_WAIT);
	end();
}

/* ---- a link that all share ---- */

#define HOSTS   200
#define PIECES  3
#define FRAMES  16 /* of one piece */
#define TICK_NS (NS_PER_S / 10)

static struct sender {
	uint32_t queued; /* frames that it is to send */
	uint32_t came;   /* of the piece that is asked for */
	uint32_t left;   /* pieces */
} senders[HOSTS];

static uint32_t ask_all(uint64_t now)
{
	uint32_t left = 0;

	for (uint32_t h = 0; h < HOSTS; h++) {
		if (!senders[h].left)
			continue;
		left++;
		enum fetch_turn turn = fetch_turns_next(&turns, h, now);
		assert_true(turn == FETCH_TURN_WAIT || turn == FETCH_TURN_ASK);
		if (turn == FETCH_TURN_ASK) {
			fetch_turns_ask(&turns, h, now);
			senders[h].queued += FRAMES;
		}
	}
	assert_true(turns.asked <= FETCH_AT_ONCE);
	return left;
}

/* The next in turn that has something to send sends a frame. */
static void move_frame(uint32_t *next, uint64_t now)
{
	for (uint32_t tried = 0; tried < HOSTS; tried++) {
		struct sender *sender = &senders[*next];
		uint32_t h = *next;
		*next = (*next + 1) % HOSTS;
		if (!sender->queued)
			continue;
		sender->queued--;
		fetch_turns_hear(&turns, h, now);
		if (turns.hosts[h].is_asked && ++sender->came == FRAMES) {
			sender->came = 0;
			sender->left--;
			fetch_turns_end(&turns, h);
		}
		return;
	}
}

static void a_shared_link_moves_each_piece_once(void **state)
{
	static const uint64_t frames_per_s[] = {1, 5, 20, 100};

	(void)state;
	for (size_t i = 0; i < sizeof(frames_per_s) / sizeof(*frames_per_s); i++) {
		uint64_t moved = 0;
		uint32_t next = 0;
		begin(HOSTS);
		for (uint32_t h = 0; h < HOSTS; h++)
			senders[h] = (struct sender){.left = PIECES};
		for (uint64_t now = 0; ask_all(now); now += TICK_NS)
			while (moved * NS_PER_S < now * frames_per_s[i]) {
				move_frame(&next, now);
				moved++;
			}
		print_message("%u frames/s: %u frames moved of %u\n", (unsigned)frames_per_s[i],
			      (unsigned)moved, HOSTS * PIECES * FRAMES);
		assert_true(moved * 5 <= UINT64_C(6) * HOSTS * PIECES * FRAMES);
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_asked_at_once),
		cmocka_unit_test(it_is_asked_again_only_after_silence),
		cmocka_unit_test(it_is_asked_again_less_and_less_often),
		cmocka_unit_test(a_piece_that_does_not_become_whole_has_an_end),
		cmocka_unit_test(a_shared_link_moves_each_piece_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
