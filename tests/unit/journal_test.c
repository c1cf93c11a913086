/* A run's journal: what was written is read, as far as it goes; what is none is refused; and the
 * figures that are made of it are those of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/clock.h"
#include "common/framed.h"
#include "common/memory.h"
#include "controller/describe.h"
#include "controller/journal_read.h"
#include "controller/replay.h"
#include "proto/version.h"

#define START_NS (1000 * NS_PER_S)

static struct keyring_host keys[2];
static const struct keyring keyring = {.hosts = keys, .count = 2};

static const char owner[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
static const char *const names[] = {"a", "b"};

static void put_head(struct bytes *bytes, const char *run, uint32_t kept_trials)
{
	struct journal_head head = {.format = JOURNAL_FORMAT,
				    .run = (char *)run,
				    .owner = (char *)owner,
				    .started_at = "then",
				    .fingerprint = (char *)version_fingerprint(),
				    .run_start_ns = START_NS - 10 * NS_PER_S,
				    .kept_trials = kept_trials};

	journal_pack(bytes, JOURNAL_HEAD, &head);
	for (uint32_t h = 0; h < 2; h++) {
		struct journal_host host = {.host = h,
					    .name = (char *)names[h],
					    .directory = h ? NULL : (char *)"/d/muster-1-a",
					    .facts = {.system = "S",
						      .kernel = "k",
						      .hostname = "h",
						      .boot_id = "b",
						      .container = "",
						      .io_limit = ""}};
		journal_pack(bytes, JOURNAL_HOST, &host);
	}
}

/* A host's part: 5,000 bytes in bucket 1, done or lost. */
static void put_part(struct bytes *bytes, uint32_t number, uint32_t host, bool is_done)
{
	struct done_target target = {
		.target = "t",
		.bytes_written = 5000,
		.operations = 5,
		.first_io_ns = START_NS + 5,
		.last_io_ns = START_NS + 900 * NS_PER_MS,
	};
	struct done done = {.targets = &target, .targets_count = 1};
	struct journal_border border = {.at_ns = START_NS};
	struct journal_answer answer = {.number = number,
					.host = host,
					.is_started = true,
					.is_lost = !is_done,
					.why = is_done ? NULL : "gone",
					.lost_ns = is_done ? 0 : START_NS + NS_PER_S,
					.done = is_done ? &done : NULL,
					.borders = &border,
					.borders_count = 1};
	struct timeline_bucket bucket = {
		.bucket = 1, .bytes_written = 5000, .operations = 5, .worst_ns = 9};
	struct journal_series series = {.number = number,
					.host = host,
					.buckets = {.buckets = &bucket, .buckets_count = 1}};

	journal_pack(bytes, JOURNAL_ANSWER, &answer);
	journal_pack(bytes, JOURNAL_SERIES, &series);
}

enum how { WHOLE, ONE_LOST, UNFINISHED };

static void put_phase(struct bytes *bytes, uint32_t number, uint32_t trial, uint32_t phase,
		      enum how how)
{
	const struct journal_begun begun = {
		.number = number, .attempt = 1, .trial = trial, .phase = phase};
	const struct journal_started started = {
		.number = number, .attempt = 1, .start_ns = START_NS};
	const struct journal_ended ended = {.number = number, .now_ns = START_NS + 2 * NS_PER_S};

	journal_pack(bytes, JOURNAL_BEGUN, &begun);
	journal_pack(bytes, JOURNAL_STARTED, &started);
	if (how == UNFINISHED)
		return;
	put_part(bytes, number, 0, true);
	put_part(bytes, number, 1, how == WHOLE);
	journal_pack(bytes, JOURNAL_ENDED, &ended);
}

static struct journal_content parse(const struct bytes *bytes)
{
	struct journal_content content;
	struct error err;

	if (journal_parse(&content, bytes->data, bytes->size, &err) < 0)
		fail_msg("%s", err.text);
	return content;
}

static void trials_count_while_every_phase_is_whole(void **state)
{
	static const struct {
		enum how phases[4];
		uint32_t count, want;
	} rows[] = {
		{{WHOLE, WHOLE, WHOLE, WHOLE}, 4, 2},
		{{WHOLE, WHOLE, WHOLE, ONE_LOST}, 4, 1},
		{{WHOLE, WHOLE, WHOLE, UNFINISHED}, 4, 1},
		{{WHOLE, WHOLE, WHOLE}, 3, 1},
		{{ONE_LOST, WHOLE, WHOLE, WHOLE}, 4, 0},
		{{WHOLE, UNFINISHED}, 2, 0},
		{{WHOLE}, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes bytes = {0};
		print_message("row %zu\n", i);
		put_head(&bytes, "r", 0);
		for (uint32_t p = 0; p < rows[i].count; p++)
			put_phase(&bytes, 3 + p, 1 + p / 2, p % 2, rows[i].phases[p]);
		struct journal_content content = parse(&bytes);
		assert_int_equal(content.whole_bytes, bytes.size);
		assert_int_equal(journal_whole_trials(&content, 2), rows[i].want);
		journal_content_release(&content);
		free(bytes.data);
	}
}

/* What agents keep may be removed when the journal has it, or another in its place. */
static void what_is_kept_is_passed_when_it_is_over_or_was_done_again(void **state)
{
	static const struct {
		uint32_t number, attempt;
		bool want;
	} rows[] = {
		{3, 1, true},  /* its end is known */
		{4, 1, true},  /* of a trial that was run again */
		{5, 1, false}, /* under way when the journal ends */
		{5, 2, false}, /* another attempt at it, which the journal does not know */
		{5, 0, true},  /* was not measured */
		{6, 1, false}, /* the journal does not know of it */
	};
	struct bytes bytes = {0};

	(void)state;
	put_head(&bytes, "r", 0);
	put_phase(&bytes, 3, 1, 0, WHOLE);
	put_phase(&bytes, 4, 2, 0, UNFINISHED);
	put_head(&bytes, "r", 1);
	struct journal_content content = parse(&bytes);
	assert_true(journal_has_passed(&content, 4, 1));
	assert_int_equal(content.newest, 4);
	journal_content_release(&content);
	put_phase(&bytes, 5, 2, 0, UNFINISHED);
	content = parse(&bytes);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("row %zu\n", i);
		assert_int_equal(journal_has_passed(&content, rows[i].number, rows[i].attempt),
				 rows[i].want);
	}
	journal_content_release(&content);
	free(bytes.data);
}

static void a_cut_leaves_what_is_before_it(void **state)
{
	struct bytes bytes = {0};

	(void)state;
	put_head(&bytes, "r", 0);
	size_t head = bytes.size;
	put_phase(&bytes, 3, 1, 0, WHOLE);
	for (size_t size = head; size <= bytes.size; size++) {
		const struct bytes part = {.data = bytes.data, .size = size};
		struct journal_content content = parse(&part);
		assert_true(content.whole_bytes <= size);
		assert_int_equal(journal_whole_trials(&content, 1), size == bytes.size);
		journal_content_release(&content);
	}
	free(bytes.data);
}

static void packed_again_it_says_the_same(void **state)
{
	struct bytes bytes = {0}, again = {0}, third = {0};

	(void)state;
	put_head(&bytes, "r", 0);
	put_phase(&bytes, 3, 1, 0, WHOLE);
	put_phase(&bytes, 4, 1, 1, UNFINISHED);
	struct journal_content content = parse(&bytes);
	journal_content_pack(&content, &again);
	struct journal_content second = parse(&again);
	journal_content_pack(&second, &third);
	assert_int_equal(again.size, third.size);
	assert_memory_equal(again.data, third.data, third.size);
	assert_int_equal(second.phases_count, 2);
	assert_string_equal(second.hosts[0].directory, "/d/muster-1-a");
	assert_null(second.hosts[1].directory);
	journal_content_release(&content);
	journal_content_release(&second);
	free(bytes.data);
	free(again.data);
	free(third.data);
}

static void taken_up_again_the_half_trial_is_dropped(void **state)
{
	struct bytes bytes = {0};

	(void)state;
	put_head(&bytes, "r", 0);
	put_phase(&bytes, 3, 1, 0, WHOLE);
	put_phase(&bytes, 4, 2, 0, UNFINISHED);
	put_head(&bytes, "r", 1);
	put_phase(&bytes, 5, 2, 0, WHOLE);
	struct journal_content content = parse(&bytes);
	assert_int_equal(content.heads_count, 2);
	assert_int_equal(content.phases_count, 2);
	assert_int_equal(content.phases[1].begun.number, 5);
	assert_int_equal(journal_whole_trials(&content, 1), 2);
	journal_content_release(&content);
	free(bytes.data);
}

static void require_refused(const struct bytes *bytes, const char *want)
{
	struct journal_content content;
	struct error err = {0};

	assert_int_equal(journal_parse(&content, bytes->data, bytes->size, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	if (!strstr(err.text, want))
		fail_msg("'%s' does not say '%s'", err.text, want);
}

static void what_is_no_journal_is_refused(void **state)
{
	struct bytes bytes = {0};

	(void)state;
	require_refused(&bytes, "it is empty: the run was killed before it began");
	bytes_append(&bytes, "muster, but not a journal of it", 31);
	require_refused(&bytes, "cut off or damaged");
	bytes.size = 0;
	put_phase(&bytes, 3, 1, 0, UNFINISHED);
	require_refused(&bytes, "at byte 0");
	bytes.size = 0;
	put_head(&bytes, "r", 0);
	put_part(&bytes, 3, 0, true); /* of a phase that was never begun */
	require_refused(&bytes, "none of a run's journal");
	bytes.size = 0;
	put_head(&bytes, "r", 0);
	put_head(&bytes, "another", 0);
	require_refused(&bytes, "none of a run's journal");
	bytes.size = 0;
	put_head(&bytes, "../r", 0);
	require_refused(&bytes, "none of a run's journal");
	bytes.size = 0;
	put_head(&bytes, "r", 0);
	framed_append(&bytes, "\x06\xc1", 2);
	require_refused(&bytes, "none of a run's journal");
	free(bytes.data);
}

/* ---- figures ---- */

static void figures_come_out_of_it_again(void **state)
{
	struct bytes bytes = {0};
	struct name target = {.name = "t"};
	struct phase phase = {.name = "p",
			      .op = PHASE_OP_WRITE,
			      .targets = &target,
			      .targets_count = 1,
			      .runtime = NS_PER_S};
	struct plan plan = {
		.bucket = 100 * NS_PER_MS, .phases = &phase, .phases_count = 1, .repeat = 2};
	struct plan_host hosts[2] = {{.name = "a"}, {.name = "b"}};
	const struct plan_hosts both = {.hosts = hosts, .count = 2};
	struct result result = {0};
	struct result_series series = {0};
	struct fleet fleet;
	struct error err;

	(void)state;
	put_head(&bytes, "r", 0);
	put_phase(&bytes, 2, 1, 0, WHOLE);
	put_phase(&bytes, 3, 2, 0, ONE_LOST);
	put_phase(&bytes, 4, 3, 0, UNFINISHED);
	struct journal_content content = parse(&bytes);
	assert_int_equal(replay_check(&content, &plan, &both, &err), 0);
	struct collect collect = {.result = &result,
				  .series = &series,
				  .run_start_ns = content.heads[0].run_start_ns};
	replay_fleet(&fleet, &content, &both, &keyring);
	replay_phases(&collect, &fleet, &content, &plan, UINT32_MAX);
	replay_fleet_release(&fleet);
	assert_int_equal(result.phases_count, 3);
	for (uint32_t h = 0; h < 2; h++) {
		assert_string_equal(result.phases[0].hosts[h].state, "complete");
		assert_int_equal(result.phases[0].hosts[h].targets[0].bytes, 5000);
		assert_int_equal(result.phases[0].hosts[h].targets[0].first_io_ns,
				 10 * NS_PER_S + 5);
	}
	assert_non_null(result.phases[0].cluster);
	assert_int_equal(result.phases[0].start_ns, 10 * NS_PER_S);
	/* The bounds are not known: there was no exchange. */
	assert_true(result.phases[0].hosts[0].edges.bound_ns == UINT64_MAX);
	assert_string_equal(result.phases[1].hosts[1].state, "lost");
	assert_string_equal(result.phases[1].hosts[1].text, "gone");
	assert_int_equal(result.phases[1].hosts[1].targets[0].bytes, 5000);
	assert_null(result.phases[1].cluster);
	assert_string_equal(result.phases[2].hosts[0].state, "lost");

	hosts[1].name = "c";
	assert_int_equal(replay_check(&content, &plan, &both, &err), -1);
	assert_non_null(strstr(err.text, "plan.yaml was changed"));
	collect_release(&collect);
	record_release(&result_table, &result);
	journal_content_release(&content);
	free(bytes.data);
}

/* An agent's bucket of a far future takes no memory. */
static void buckets_of_the_far_future_are_put_at_the_end(void **state)
{
	struct bytes bytes = {0};
	struct name target = {.name = "t"};
	struct phase phase = {.name = "p",
			      .op = PHASE_OP_WRITE,
			      .targets = &target,
			      .targets_count = 1,
			      .runtime = NS_PER_S};
	struct plan plan = {
		.bucket = 100 * NS_PER_MS, .phases = &phase, .phases_count = 1, .repeat = 1};
	struct plan_host hosts[2] = {{.name = "a"}, {.name = "b"}};
	const struct plan_hosts both = {.hosts = hosts, .count = 2};
	struct timeline_bucket bucket = {.bucket = UINT32_MAX, .bytes_written = 1, .operations = 1};
	struct journal_series far = {
		.number = 2, .host = 1, .buckets = {.buckets = &bucket, .buckets_count = 1}};
	struct result result = {0};
	struct result_series series = {0};
	struct fleet fleet;

	(void)state;
	put_head(&bytes, "r", 0);
	put_phase(&bytes, 2, 1, 0, ONE_LOST);
	journal_pack(&bytes, JOURNAL_SERIES, &far);
	struct journal_content content = parse(&bytes);
	struct collect collect = {
		.result = &result, .series = &series, .run_start_ns = START_NS - NS_PER_S};
	replay_fleet(&fleet, &content, &both, &keyring);
	replay_phases(&collect, &fleet, &content, &plan, 1);
	replay_fleet_release(&fleet);
	assert_true(series.phases[0].series[1][0].count < 10000);
	assert_int_equal(result.phases[0].hosts[1].targets[0].bytes, 5001);
	collect_release(&collect);
	record_release(&result_table, &result);
	journal_content_release(&content);
	free(bytes.data);
}

/* ---- disruptions ---- */

static void tell(struct fleet_host *host, enum disruption_kind kind, uint32_t times)
{
	for (uint32_t i = 0; i < times; i++) {
		const struct disruption told = {.kind = kind,
						.from_ns = START_NS + host->disruptions.count,
						.to_ns = START_NS + host->disruptions.count};
		disruptions_add(&host->disruptions, &told);
	}
}

static void end_phase(struct journal *journal, struct collect *collect, struct fleet *fleet,
		      const struct plan *plan, uint32_t number)
{
	const struct journal_begun begun = {.number = number, .attempt = 1, .trial = number};
	const struct journal_started started = {
		.number = number, .attempt = 1, .start_ns = START_NS};

	journal_begin_phase(journal, &begun);
	journal_start_phase(journal, &started);
	collect_begin(collect, fleet, plan, plan->phases, number, false);
	fleet->ticked_ns = clock_now_ns(); /* nobody is there to hear of anything */
	journal_end_phase(journal, fleet, collect, number, 0);
}

static struct journal_content read_behind_head(const char *path)
{
	FILE *file = fopen(path, "r");
	struct bytes bytes = {0};
	char part[4096];
	size_t size;

	assert_non_null(file);
	put_head(&bytes, "r", 0);
	while ((size = fread(part, 1, sizeof(part), file)) > 0)
		bytes_append(&bytes, part, size);
	fclose(file);
	struct journal_content content = parse(&bytes);
	assert_int_equal(content.whole_bytes, bytes.size);
	free(bytes.data);
	return content;
}

static void require_told(const struct journal_content *content, uint32_t number, uint32_t host,
			 uint32_t count, uint32_t dropped)
{
	const struct journal_phase *phase =
		journal_find_phase((struct journal_content *)content, number);
	const struct journal_answer *answer = journal_answer_of(phase, host);

	assert_non_null(answer);
	assert_int_equal(answer->disruptions_count, count);
	assert_int_equal(answer->disruptions_dropped, dropped);
}

/* Each phase has what is new; of all together a result is made. */
static void what_a_host_told_of_its_clock_is_in_it_once(void **state)
{
	struct phase phase = {.name = "p", .op = PHASE_OP_WRITE, .runtime = NS_PER_S};
	struct plan plan = {
		.bucket = 100 * NS_PER_MS, .phases = &phase, .phases_count = 1, .repeat = 9};
	struct plan_host names_of[2] = {{.name = "a"}, {.name = "b"}};
	const struct plan_hosts both = {.hosts = names_of, .count = 2};
	struct fleet_host hosts[2] = {{.plan = &names_of[0], .in_phase = true},
				      {.plan = &names_of[1]}};
	struct result run_result = {0}, result = {0};
	struct result_series run_series = {0}, series = {0};
	char directory[] = "/tmp/muster-journal-XXXXXX";
	struct error err;
	struct fleet fleet = {.hosts = hosts, .count = 2, .channel = channel_new(&err)}, again;
	struct collect collect = {.result = &run_result, .series = &run_series};

	(void)state;
	hosts[0].status = hosts[1].status = FLEET_STATUS_LEASED;
	assert_non_null(fleet.channel);
	assert_non_null(mkdtemp(directory));
	char *path = mem_format("%s/" JOURNAL_NAME, directory);
	struct journal *journal = journal_open(directory, NULL, 0, &err);
	assert_non_null(journal);
	tell(&hosts[0], DISRUPTION_GAP, 20000);
	tell(&hosts[0], DISRUPTION_SUSPEND, 1);
	tell(&hosts[1], DISRUPTION_GAP, 2); /* not in this phase: it is in the next */
	end_phase(journal, &collect, &fleet, &plan, 1);
	end_phase(journal, &collect, &fleet, &plan, 2);
	hosts[1].in_phase = true;
	tell(&hosts[0], DISRUPTION_GAP, 7);
	tell(&hosts[0], DISRUPTION_FREQUENCY, 1);
	end_phase(journal, &collect, &fleet, &plan, 3);
	journal_close(journal);

	struct journal_content content = read_behind_head(path);
	require_told(&content, 1, 0, DISRUPTIONS_GAPS_MOST + 1, 10000);
	require_told(&content, 2, 0, 0, 0);
	require_told(&content, 3, 0, 1, 7);
	require_told(&content, 3, 1, 2, 0);
	struct collect replayed = {.result = &result, .series = &series};
	replay_fleet(&again, &content, &both, &keyring);
	replay_phases(&replayed, &again, &content, &plan, UINT32_MAX);
	for (uint32_t h = 0; h < 2; h++)
		(void)RECORD_APPEND(result.hosts, result.hosts_count);
	describe_clocks(&result, &again, START_NS, START_NS);
	assert_int_equal(result.hosts[0].clock.disruptions_count, DISRUPTIONS_GAPS_MOST + 2);
	assert_int_equal(result.hosts[0].clock.disruptions_dropped, 10007);
	assert_string_equal(result.hosts[0].clock.disruptions[DISRUPTIONS_GAPS_MOST].kind,
			    "suspend");
	assert_string_equal(result.hosts[0].clock.disruptions[DISRUPTIONS_GAPS_MOST + 1].kind,
			    "frequency");
	assert_int_equal(result.hosts[1].clock.disruptions_count, 2);

	replay_fleet_release(&again);
	journal_content_release(&content);
	collect_release(&collect);
	collect_release(&replayed);
	record_release(&result_table, &run_result);
	record_release(&result_table, &result);
	disruptions_release(&hosts[0].disruptions);
	disruptions_release(&hosts[1].disruptions);
	channel_free(fleet.channel, 0);
	unlink(path);
	rmdir(directory);
	free(path);
}

static void one_of_another_format_is_refused_by_that_name(void **state)
{
	struct journal_head head = {.format = JOURNAL_FORMAT - 1,
				    .run = "r",
				    .owner = (char *)owner,
				    .started_at = "then",
				    .fingerprint = (char *)version_fingerprint()};
	struct journal_content content;
	struct bytes bytes = {0};
	struct error err;

	(void)state;
	journal_pack(&bytes, JOURNAL_HEAD, &head);
	put_phase(&bytes, 3, 1, 0, WHOLE);
	assert_int_equal(journal_parse(&content, bytes.data, bytes.size, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_string_equal(err.text,
			    "it was written by another build (format 2, here 3): use that one");
	free(bytes.data);
}

/* ---- exchanges of long runs ---- */

/* In a phase: four bursts of five a second, of which the third is the tightest. */
static struct clock_sample exchange_at(uint64_t begin_ns, uint32_t number)
{
	uint64_t t1 = begin_ns + number / 5 * 250 * NS_PER_MS + number % 5 * NS_PER_MS;
	uint64_t trip_ns = number % 5 == 2 ? 50000 : 150000 + number * UINT64_C(7919) % 50000;

	return (struct clock_sample){.t1 = t1,
				     .t2 = t1 + 5000 * NS_PER_S + trip_ns / 2,
				     .t3 = t1 + 5000 * NS_PER_S + trip_ns / 2 + 20000,
				     .t4 = t1 + trip_ns + 20000,
				     .upper_error_ns = 2000,
				     .lower_error_ns = 1000,
				     .stamp = CLOCK_STAMP_KERNEL};
}

/* As many a second as the controller ever makes, for many hours, of which the journal has all. */
static void exchanges_of_a_long_run_take_bounded_memory(void **state)
{
	const uint32_t records = 9000, each = 40;
	struct clock_sample samples[40];
	struct clock_record_host hosts[2] = {{.host = "a", .samples = samples, .count = each},
					     {.host = "b"}};
	const struct clock_record record = {.hosts = hosts, .count = 2};
	struct bytes bytes = {0};

	(void)state;
	put_head(&bytes, "r", 0);
	for (uint32_t r = 0; r < records; r++) {
		for (uint32_t i = 0; i < each; i++)
			samples[i] = exchange_at(START_NS, r * each + i);
		journal_pack_clock(&bytes, &record);
	}
	struct journal_content content = parse(&bytes);
	const struct clock_record_host *kept = &content.clocks.hosts[0];
	assert_int_equal(content.clocks.hosts[1].count, 0);
	assert_in_range(kept->count, CLOCK_EXCHANGE_KEPT / 2, CLOCK_EXCHANGE_KEPT);
	assert_int_equal(kept->samples[0].t1, exchange_at(START_NS, 2).t1);
	assert_int_equal(kept->samples[kept->count - 1].t1,
			 exchange_at(START_NS, records * each - 1).t1);
	for (uint32_t i = 1; i < kept->count; i++)
		assert_true(kept->samples[i].t1 > kept->samples[i - 1].t1 &&
			    kept->samples[i].t1 - kept->samples[i - 1].t1 < 2 * NS_PER_S);
	journal_content_release(&content);
	free(bytes.data);
}

/* Where the controller's system has begun anew, only what came after can be fitted. */
static void exchanges_of_an_older_clock_are_dropped(void **state)
{
	struct clock_sample samples[40];
	struct clock_record_host hosts[2] = {{.host = "a", .samples = samples, .count = 40},
					     {.host = "b"}};
	const struct clock_record record = {.hosts = hosts, .count = 2};
	struct bytes bytes = {0};

	(void)state;
	put_head(&bytes, "r", 0);
	for (uint32_t begin_s = 9000; begin_s > 0; begin_s -= 4500) {
		for (uint32_t i = 0; i < 40; i++)
			samples[i] = exchange_at(begin_s * NS_PER_S, i);
		journal_pack_clock(&bytes, &record);
	}
	struct journal_content content = parse(&bytes);
	assert_int_equal(content.clocks.hosts[0].count, 40);
	assert_int_equal(content.clocks.hosts[0].samples[0].t1, 4500 * NS_PER_S);
	journal_content_release(&content);
	free(bytes.data);
}

/* DESIGN.md says what an hour takes. */
static void an_hour_of_exchanges_is_small_in_the_journal(void **state)
{
	const struct plan_host plan = {.name = "node-0001.example.org"};
	struct fleet_host host = {.plan = &plan};
	struct error err;
	struct fleet fleet = {.hosts = &host, .count = 1, .clocks = clock_exchange_new(1, &err)};
	char directory[] = "/tmp/muster-journal-XXXXXX";
	const uint32_t an_hour = 20 * 3600;
	struct stat st;

	(void)state;
	assert_non_null(fleet.clocks);
	assert_non_null(mkdtemp(directory));
	char *path = mem_format("%s/" JOURNAL_NAME, directory);
	struct journal *journal = journal_open(directory, NULL, 0, &err);
	assert_non_null(journal);
	for (uint32_t i = 0; i < an_hour; i++) {
		const struct clock_sample sample = exchange_at(START_NS, i);
		assert_true(clock_exchange_take(fleet.clocks, 0, &sample));
		if (i % 40 == 39) /* each 2 s */
			journal_add_clocks(journal, &fleet);
	}
	journal_close(journal);
	assert_int_equal(stat(path, &st), 0);
	print_message("%ld bytes\n", (long)st.st_size);
	assert_in_range(st.st_size, 100000, 350000);
	unlink(path);
	rmdir(directory);
	free(path);
	clock_exchange_free(fleet.clocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trials_count_while_every_phase_is_whole),
		cmocka_unit_test(what_is_kept_is_passed_when_it_is_over_or_was_done_again),
		cmocka_unit_test(a_cut_leaves_what_is_before_it),
		cmocka_unit_test(packed_again_it_says_the_same),
		cmocka_unit_test(taken_up_again_the_half_trial_is_dropped),
		cmocka_unit_test(what_is_no_journal_is_refused),
		cmocka_unit_test(figures_come_out_of_it_again),
		cmocka_unit_test(buckets_of_the_far_future_are_put_at_the_end),
		cmocka_unit_test(what_a_host_told_of_its_clock_is_in_it_once),
		cmocka_unit_test(one_of_another_format_is_refused_by_that_name),
		cmocka_unit_test(exchanges_of_a_long_run_take_bounded_memory),
		cmocka_unit_test(exchanges_of_an_older_clock_are_dropped),
		cmocka_unit_test(an_hour_of_exchanges_is_small_in_the_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
