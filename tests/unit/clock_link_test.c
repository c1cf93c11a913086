#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "controller/clock_link.h"

#define SESSION 77
#define HOUR    (3600 * NS_PER_S) /* the agent's clock is so much ahead */

/* A network of its own: time goes by the millisecond, pongs come after `trip_ns`, or never. */
struct scene {
	struct clock_link link;
	uint64_t now_ns, trip_ns;
	bool is_cut;
	struct clock_packet out; /* the latest ping */
	uint32_t pings, pongs;
};

static void scene_begin(struct scene *scene)
{
	struct clock_pace pace;

	*scene = (struct scene){.now_ns = 1000 * NS_PER_S, .trip_ns = 20 * NS_PER_US};
	clock_pace_start(&pace, 0, 1, CLOCK_SCHEDULE_JOIN, scene->now_ns);
	clock_link_open(&scene->link, SESSION, &pace);
}

static struct clock_packet pong_to(const struct clock_packet *ping, uint64_t trip_ns)
{
	return (struct clock_packet){.kind = CLOCK_PACKET_PONG,
				     .session = ping->session,
				     .sequence = ping->sequence,
				     .t1 = ping->t1,
				     .t2 = ping->t1 + HOUR + trip_ns / 2,
				     .t3 = ping->t1 + HOUR + trip_ns / 2,
				     .t2_error_ns = 1};
}

/* Hands in a pong that has come now, with the program's stamps. */
static bool take(struct scene *scene, const struct clock_packet *pong, struct clock_link_news *news)
{
	struct clock_link_stamps plain = {
		.t1 = scene->out.t1, .t4 = scene->now_ns, .t1_error_ns = 1, .t4_error_ns = 1};

	return clock_link_take(&scene->link, pong, scene->now_ns, &plain, &plain, news);
}

static bool send_due(struct scene *scene)
{
	if (!clock_link_due(&scene->link, scene->now_ns))
		return false;
	scene->out = clock_link_ping(&scene->link, scene->now_ns);
	clock_link_sent(&scene->link, ++scene->pings, scene->now_ns);
	return true;
}

/* The pong to a ping that went just now, which it is time for. */
static struct clock_packet next_pong(struct scene *scene)
{
	assert_true(send_due(scene));
	scene->now_ns += 20 * NS_PER_US;
	return pong_to(&scene->out, scene->trip_ns);
}

/* All that happens within the millisecond that begins now. */
static void live(struct scene *scene)
{
	uint64_t end = scene->now_ns + NS_PER_MS;
	struct clock_link_news news;

	while (scene->now_ns < end && send_due(scene) && !scene->is_cut) {
		struct clock_packet pong = pong_to(&scene->out, scene->trip_ns);
		scene->now_ns += scene->trip_ns;
		assert_true(take(scene, &pong, &news));
		assert_true(news.has_sample);
		scene->pongs++;
	}
	if (scene->now_ns < end)
		scene->now_ns = end;
}

static void live_for(struct scene *scene, uint64_t ns)
{
	for (uint64_t end = scene->now_ns + ns; scene->now_ns < end;)
		live(scene);
}

static void a_burst_has_its_next_ping_on_the_reply(void **state)
{
	(void)state;
	struct scene scene;
	scene_begin(&scene);
	live(&scene);
	assert_int_equal(scene.pongs, 16);
	assert_int_equal(clock_link_next(&scene.link), scene.link.pace.next_ns);
	live_for(&scene, NS_PER_S);
	assert_in_range(scene.pongs, 48, 53);
}

static void a_host_that_was_never_reached_goes_to_zeromq_within_a_second(void **state)
{
	(void)state;
	struct scene scene;
	scene_begin(&scene);
	scene.is_cut = true;
	live_for(&scene, NS_PER_S);
	assert_true(scene.link.is_zeromq);
}

static void one_that_is_cut_off_goes_to_zeromq_after_three_bursts(void **state)
{
	(void)state;
	struct scene scene;
	scene_begin(&scene);
	live_for(&scene, 3 * NS_PER_S);
	uint32_t before = scene.pings;
	scene.is_cut = true;
	for (int i = 0; i < 5000 && !scene.link.is_zeromq; i++)
		live(&scene);
	assert_true(scene.link.is_zeromq);
	assert_int_equal(scene.pings - before, 3);
}

static void on_zeromq_it_is_tried_each_second_and_comes_back_after_two_whole_bursts(void **state)
{
	(void)state;
	struct scene scene;
	scene_begin(&scene);
	scene.is_cut = true;
	live_for(&scene, 2 * NS_PER_S);
	uint32_t before = scene.pings;
	live_for(&scene, 10 * NS_PER_S);
	assert_in_range(scene.pings - before, 9, 11);
	scene.is_cut = false;
	for (int i = 0; i < 5000 && scene.pongs < CLOCK_BURST; i++)
		live(&scene);
	assert_true(scene.link.is_zeromq);
	for (int i = 0; i < 5000 && scene.pongs < 2 * CLOCK_BURST; i++)
		live(&scene);
	assert_false(scene.link.is_zeromq);
}

/* Every other ping is lost: slow, but nothing that ZeroMQ would do better without. */
static void a_pong_in_each_burst_is_enough_to_stay(void **state)
{
	(void)state;
	struct scene scene;
	scene_begin(&scene);
	for (int i = 0; i < 10000; i++) {
		scene.is_cut = scene.link.is_burst_answered && scene.link.left > 0;
		live(&scene);
	}
	assert_true(scene.pongs > 10);
	assert_false(scene.link.is_zeromq);
}

static void what_cannot_be_sent_is_a_silent_burst(void **state)
{
	(void)state;
	struct scene scene;
	scene_begin(&scene);
	for (int i = 0; i < 1000 && !scene.link.is_zeromq; i++, scene.now_ns += NS_PER_MS)
		if (clock_link_due(&scene.link, scene.now_ns)) {
			clock_link_ping(&scene.link, scene.now_ns);
			clock_link_sent(&scene.link, 0, scene.now_ns);
		}
	assert_true(scene.link.is_zeromq);
}

/* 200 ms each way and back: longer than the first patience. */
static void a_distant_host_is_waited_for_once_it_is_known_to_be_distant(void **state)
{
	(void)state;
	struct scene scene;
	struct clock_link_news news;
	scene_begin(&scene);
	uint64_t back_ns = UINT64_MAX;
	for (int i = 0; i < 3000 && scene.pongs < 2; i++, scene.now_ns += NS_PER_MS) {
		if (scene.now_ns >= back_ns) {
			struct clock_packet pong = pong_to(&scene.out, 200 * NS_PER_MS);
			scene.pongs += take(&scene, &pong, &news);
		}
		if (send_due(&scene))
			back_ns = scene.now_ns + 200 * NS_PER_MS;
	}
	assert_int_equal(scene.pongs, 2);
}

static void only_the_answer_to_the_ping_that_is_out_is_taken(void **state)
{
	(void)state;
	struct scene scene;
	struct clock_link_news news;
	scene_begin(&scene);
	struct clock_packet pong = next_pong(&scene), wrong[4];
	for (int i = 0; i < 4; i++)
		wrong[i] = pong;
	wrong[0].kind = CLOCK_PACKET_PING;
	wrong[1].sequence += 1;
	wrong[2].sequence -= 1;
	wrong[3].t1 -= 1;
	for (int i = 0; i < 4; i++)
		assert_false(take(&scene, &wrong[i], &news));
	assert_true(take(&scene, &pong, &news));
	assert_false(take(&scene, &pong, &news));
	assert_true(send_due(&scene));
	assert_false(take(&scene, &pong, &news));
}

/* ---- stamps ---- */

static void the_next_pong_tightens_the_sample_before(void **state)
{
	(void)state;
	struct scene scene;
	struct clock_link_news first, second;
	scene_begin(&scene);
	struct clock_packet pong = next_pong(&scene);
	pong.kernel_t2 = true;
	struct clock_link_stamps kernel = {.t1 = scene.out.t1 + 500,
					   .t4 = scene.now_ns - 500,
					   .t1_error_ns = 90,
					   .t4_error_ns = 80,
					   .is_kernel = true};
	assert_true(clock_link_take(&scene.link, &pong, scene.now_ns, &kernel, &kernel, &first));
	assert_true(first.has_sample);
	assert_false(first.has_tighter);
	assert_int_equal(first.sample.stamp, CLOCK_STAMP_USER);
	assert_int_equal(first.sample.upper_error_ns, 91);
	assert_int_equal(first.sample.lower_error_ns, 80);
	uint64_t left_ns = pong.t3 + 3000;
	pong = next_pong(&scene);
	pong.previous = pong.sequence - 1;
	pong.previous_t3 = left_ns;
	pong.previous_t3_error_ns = 70;
	pong.kernel_previous_t3 = true;
	assert_true(take(&scene, &pong, &second));
	assert_true(second.has_tighter);
	assert_int_equal(second.tighter.t1, first.sample.t1);
	assert_int_equal(second.tighter.t3, left_ns);
	assert_int_equal(second.tighter.lower_error_ns, 150);
	assert_int_equal(second.tighter.stamp, CLOCK_STAMP_KERNEL);
}

static void a_departure_that_cannot_be_tightens_nothing(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		int64_t after_t3_ns;
		uint32_t other_sequence, error_ns;
	} cases[] = {
		{"before the program said so", -1, 0, 70},
		{"after the next ping was answered", NS_PER_S, 0, 70},
		{"of a pong that was not the last", 3000, 1, 70},
		{"so late that it could not be back", 17000, 0, 70},
		{"with an error of seconds", 3000, 0, UINT32_MAX},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene scene;
		struct clock_link_news news;
		print_message("%s\n", cases[i].what);
		scene_begin(&scene);
		struct clock_packet pong = next_pong(&scene);
		uint64_t left_ns = pong.t3 + (uint64_t)cases[i].after_t3_ns;
		pong.t2 = pong.t3 -= 5 * NS_PER_US;
		left_ns -= cases[i].after_t3_ns < 0 ? 5 * NS_PER_US : 0;
		assert_true(take(&scene, &pong, &news));
		pong = next_pong(&scene);
		pong.previous = pong.sequence - 1 - cases[i].other_sequence;
		pong.previous_t3 = left_ns;
		pong.previous_t3_error_ns = cases[i].error_ns;
		pong.kernel_previous_t3 = true;
		assert_true(take(&scene, &pong, &news));
		assert_true(news.has_sample);
		assert_false(news.has_tighter);
	}
}

static void impossible_kernel_stamps_give_way_to_the_programs(void **state)
{
	(void)state;
	struct scene scene;
	struct clock_link_news news;
	scene_begin(&scene);
	struct clock_packet pong = next_pong(&scene);
	struct clock_link_stamps plain = {.t1 = scene.out.t1, .t4 = scene.now_ns};
	struct clock_link_stamps kernel = {
		.t1 = scene.out.t1 + 500, .t4 = scene.out.t1 - 500, .is_kernel = true};
	assert_true(clock_link_take(&scene.link, &pong, scene.now_ns, &kernel, &plain, &news));
	assert_true(news.has_sample);
	assert_int_equal(news.sample.t1, plain.t1);
	assert_int_equal(news.sample.t4, plain.t4);
	assert_false(scene.link.is_loose_kernel);
}

static void an_answer_with_impossible_stamps_is_no_sample(void **state)
{
	(void)state;
	struct scene scene;
	struct clock_link_news news;
	scene_begin(&scene);
	struct clock_packet pong = next_pong(&scene);
	pong.t3 = pong.t2 + NS_PER_S;
	assert_true(take(&scene, &pong, &news));
	assert_false(news.has_sample);
	assert_false(news.has_tighter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_has_its_next_ping_on_the_reply),
		cmocka_unit_test(a_host_that_was_never_reached_goes_to_zeromq_within_a_second),
		cmocka_unit_test(one_that_is_cut_off_goes_to_zeromq_after_three_bursts),
		cmocka_unit_test(
			on_zeromq_it_is_tried_each_second_and_comes_back_after_two_whole_bursts),
		cmocka_unit_test(a_pong_in_each_burst_is_enough_to_stay),
		cmocka_unit_test(what_cannot_be_sent_is_a_silent_burst),
		cmocka_unit_test(a_distant_host_is_waited_for_once_it_is_known_to_be_distant),
		cmocka_unit_test(only_the_answer_to_the_ping_that_is_out_is_taken),
		cmocka_unit_test(the_next_pong_tightens_the_sample_before),
		cmocka_unit_test(a_departure_that_cannot_be_tightens_nothing),
		cmocka_unit_test(impossible_kernel_stamps_give_way_to_the_programs),
		cmocka_unit_test(an_answer_with_impossible_stamps_is_no_sample),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
