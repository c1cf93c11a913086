#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/record_json.h"
#include "controller/analysis/window.h"
#include "controller/journal.h"
#include "controller/report/report.h"
#include "controller/store.h"
#include "controller/store_again.h"
#include "tests/unit/sample_result.h"

#define PLAN "name: x   # as \"typed\"\n\n\tnot even YAML\n"

/* Each test works in an empty directory of its own. */
static char home[] = "/tmp/muster-store-XXXXXX";
static char place[sizeof(home)];

static int write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return -1;
	fputs(text, file);
	return fclose(file);
}

static int enter(void **state)
{
	(void)state;
	strcpy(place, home);
	if (!mkdtemp(place) || chdir(place) < 0)
		return -1;
	return write_file("plan.yaml", PLAN);
}

static int leave(void **state)
{
	char *command = mem_format("rm -rf '%s'", place);
	int status = chdir("/") < 0 || system(command) != 0;

	(void)state;
	free(command);
	return status ? -1 : 0;
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = mem_new(1 << 20, 1);

	if (!file)
		fail_msg("cannot read '%s'", path);
	text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* Two hosts; the second one's last bucket is the phase's last. */
static void make(struct sample *sample)
{
	*sample = (struct sample){0};
	struct result_phase *phase = sample_phase(sample, "wr,ite", "write", 2 * S, 2, 2);
	phase->ramp_ns = 300 * NS_PER_MS;
	sample_load(sample, 0, 0, 0, S, 1000 * MB, 1000);
	sample_load(sample, 1, 1, 0, 1200 * NS_PER_MS, 333 * MB, 77);
	sample->result.schema = mem_text(RESULT_SCHEMA);
	sample->result.outcome = mem_text("PASS");
	sample->result.min_window_ns = S;
	sample_plan(sample);
	window_compute(phase, &sample->series.phases[0], true);
}

static void a_run_is_three_files_in_a_directory_of_its_name(void **state)
{
	struct error err = {0};
	struct sample sample;
	char *directory;

	(void)state;
	make(&sample);
	assert_int_equal(store_begin(NULL, "run-1", "plan.yaml", &directory, &err), 0);
	assert_string_equal(directory, "muster-runs/run-1");
	assert_false(exists("muster-runs/run-1"));
	assert_int_equal(store_finish(directory, &sample.result, &sample.series, NULL, NULL, &err),
			 0);
	assert_false(exists("muster-runs/run-1.partial"));
	char *plan = read_file("muster-runs/run-1/plan.yaml");
	assert_string_equal(plan, PLAN);
	free(plan);
	assert_true(exists("muster-runs/run-1/run.json"));
	assert_true(exists("muster-runs/run-1/timeline.csv"));
	free(directory);
	sample_release(&sample);
}

static void run_json_reads_back_as_it_was(void **state)
{
	struct error err = {0};
	struct sample sample;
	struct result back = {0};
	char *directory;

	(void)state;
	make(&sample);
	assert_int_equal(store_begin("out//", "run", "plan.yaml", &directory, &err), 0);
	assert_string_equal(directory, "out");
	assert_int_equal(store_finish(directory, &sample.result, &sample.series, NULL, NULL, &err),
			 0);
	char *text = read_file("out/run.json");
	if (record_json_parse(&result_table, &back, text, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(back.schema, "muster.run/1");
	assert_string_equal(back.plan->phases[0].name, "wr,ite");
	assert_int_equal(back.phases[0].hosts[1].targets[1].bytes,
			 sample.result.phases[0].hosts[1].targets[1].bytes);
	assert_non_null(back.phases[0].cluster);
	assert_true(isnan(back.phases[0].cluster->all_active_bytes_per_s));
	record_release(&result_table, &back);
	free(text);
	free(directory);
	sample_release(&sample);
}

static void the_timeline_has_every_bucket_and_adds_up(void **state)
{
	struct sample sample;
	char *text = NULL, *rest = NULL;
	size_t size;
	unsigned long long bytes = 0, ramp_bytes = 0;
	unsigned lines = 0;

	(void)state;
	make(&sample);
	FILE *file = open_memstream(&text, &size);
	report_timeline(&sample.result, &sample.series, file);
	fclose(file);
	char *line = strtok_r(text, "\n", &rest);
	assert_string_equal(
		line, "phase,name,trial,host,target,bucket,start_ns,bucket_ns,ramp,"
		      "bytes,bytes_read,bytes_written,bytes_trimmed,operations,errors,worst_ns,"
		      "edge_error_ns,edge_bound_ns,disrupted");
	while ((line = strtok_r(NULL, "\n", &rest))) {
		unsigned phase, trial, bucket, host, target;
		unsigned long long start, moved, read, written;
		char ramp[8];
		if (sscanf(line,
			   "%u,\"wr,ite\",%u,h%u,t%u,%u,%llu,100000000,%7[a-z],%llu,%llu,%llu",
			   &phase, &trial, &host, &target, &bucket, &start, ramp, &moved, &read,
			   &written) != 10)
			fail_msg("line '%s'", line);
		assert_int_equal(bucket, lines % 12);
		assert_int_equal(start, 2 * S + bucket * 100 * NS_PER_MS);
		assert_string_equal(ramp, bucket < 3 ? "true" : "false");
		assert_int_equal(moved, read + written);
		*(bucket < 3 ? &ramp_bytes : &bytes) += moved;
		lines++;
	}
	assert_int_equal(lines, 2 * 2 * 12);
	uint64_t want = 0, want_ramp = 0;
	for (uint32_t h = 0; h < 2; h++)
		for (uint32_t t = 0; t < 2; t++) {
			want += sample.result.phases[0].hosts[h].targets[t].bytes;
			want_ramp += sample.result.phases[0].hosts[h].targets[t].ramp_bytes;
		}
	assert_int_equal(bytes, want);
	assert_int_equal(ramp_bytes, want_ramp);
	assert_int_equal(want + want_ramp, 1333 * MB);
	free(text);
	sample_release(&sample);
}

static void what_cannot_be_begun_leaves_nothing(void **state)
{
	static const struct {
		const char *out, *plan, *want;
	} cases[] = {
		{"taken", "plan.yaml", "'taken' exists already: name another directory with --out"},
		{"taken/", "plan.yaml", "'taken' exists already"},
		{"left", "plan.yaml",
		 "'left.partial' is of a run that was broken off: `muster collect left`"},
		{"live", "plan.yaml",
		 "'live' is taken, name another directory with --out: 'live.partial/journal.bin' "
		 "is in use"},
		{"no/such/place", "plan.yaml",
		 "cannot make directory 'no/such/place.partial': No such file"},
		{"plan.yaml/x", "plan.yaml", "'plan.yaml/x': Not a directory"},
		{"fine", "absent.yaml", "cannot read 'absent.yaml': No such file"},
		{"fine", "/dev/null", "'/dev/null' is no plain file"},
		{"", "plan.yaml", "--out is empty"},
	};

	(void)state;
	assert_int_equal(mkdir("taken", 0777), 0);
	assert_int_equal(mkdir("left.partial", 0777), 0);
	assert_int_equal(mkdir("live.partial", 0777), 0);
	struct error live = {0};
	struct journal *journal = journal_open("live.partial", NULL, 0, &live);
	assert_non_null(journal);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {0};
		char *directory;
		assert_int_equal(store_begin(cases[i].out, "run", cases[i].plan, &directory, &err),
				 -1);
		assert_null(directory);
		if (!strstr(err.text, cases[i].want))
			fail_msg("'%s', wanted '%s'", err.text, cases[i].want);
		assert_false(exists("fine.partial"));
		assert_false(exists("no"));
	}
	journal_close(journal);
}

static void a_run_that_measured_nothing_leaves_nothing(void **state)
{
	struct error err = {0};
	char *directory;

	(void)state;
	assert_int_equal(store_begin("out", "run", "plan.yaml", &directory, &err), 0);
	assert_true(exists("out.partial/plan.yaml"));
	store_abandon(directory);
	assert_false(exists("out.partial"));
	assert_false(exists("out"));
	free(directory);
}

static void a_disk_that_fills_keeps_what_was_written(void **state)
{
	const struct rlimit little = {.rlim_cur = 2000, .rlim_max = RLIM_INFINITY};
	struct rlimit before;
	struct error err = {0};
	struct sample sample;
	char *directory;

	(void)state;
	make(&sample);
	assert_int_equal(store_begin("out", "run", "plan.yaml", &directory, &err), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	int status = store_finish(directory, &sample.result, &sample.series, NULL, NULL, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(status, -1);
	assert_string_equal(err.text, "the results are not whole: "
				      "cannot write 'out.partial/run.json': File too large");
	assert_true(exists("out.partial/plan.yaml"));
	assert_false(exists("out"));
	free(directory);
	sample_release(&sample);
}

static void a_directory_that_came_up_meanwhile_is_not_replaced(void **state)
{
	struct error err = {0};
	struct sample sample;
	char *directory;

	(void)state;
	make(&sample);
	assert_int_equal(store_begin("out", "run", "plan.yaml", &directory, &err), 0);
	assert_int_equal(mkdir("out", 0777), 0);
	assert_int_equal(store_finish(directory, &sample.result, &sample.series, NULL, NULL, &err),
			 -1);
	assert_non_null(strstr(err.text, "'out' exists already"));
	assert_true(exists("out.partial/timeline.csv"));
	assert_false(exists("out/run.json"));
	free(directory);
	sample_release(&sample);
}

/* Of a whole result: until it has its name, the journal is what brings it back. */
static void the_journal_goes_when_the_result_is_there(void **state)
{
	unsigned char words[] = "journal";
	const struct bytes journal = {.data = words, .size = sizeof(words)};
	struct error err = {0};
	struct sample sample;
	char *directory, *manifest;

	(void)state;
	make(&sample);
	assert_int_equal(store_begin("out", "run", "plan.yaml", &directory, &err), 0);
	assert_int_equal(store_add(directory, JOURNAL_NAME, &journal, &err), 0);
	assert_int_equal(mkdir("out", 0777), 0);
	assert_int_equal(
		store_finish(directory, &sample.result, &sample.series, NULL, JOURNAL_NAME, &err),
		-1);
	assert_true(exists("out.partial/" JOURNAL_NAME));
	assert_true(exists("out.partial/junit.xml"));
	assert_int_equal(rmdir("out"), 0);

	/* It is taken up again, with nothing of the first end in the way. */
	struct store_again again;
	assert_int_equal(store_again_find(&again, "out", &err), 0);
	assert_false(again.has_ended);
	assert_int_equal(store_again_begin(&again, &err), 0);
	assert_true(exists("out.partial/plan.yaml"));
	assert_false(exists("out.partial/junit.xml"));
	assert_false(exists("out.partial/MANIFEST.json"));
	store_again_release(&again);
	assert_int_equal(
		store_finish(directory, &sample.result, &sample.series, NULL, JOURNAL_NAME, &err),
		0);
	assert_false(exists("out/" JOURNAL_NAME));
	manifest = read_file("out/MANIFEST.json");
	assert_non_null(strstr(manifest, "junit.xml"));
	assert_null(strstr(manifest, JOURNAL_NAME));
	free(manifest);
	free(directory);
	sample_release(&sample);
}

/* Beside it: a journal, a clock record; TMPDIR is where we are. */
static struct store_rescue begin_rescue(struct sample *sample, char **directory)
{
	static unsigned char words[] = "journal", clocks[] = "clocks";
	static const struct bytes journal = {.data = words, .size = sizeof(words)};
	static const struct bytes clock = {.data = clocks, .size = sizeof(clocks)};
	static const struct bytes plan = {.data = (unsigned char *)PLAN, .size = sizeof(PLAN) - 1};
	struct error err = {0};

	make(sample);
	assert_int_equal(setenv("TMPDIR", place, 1), 0);
	assert_int_equal(store_begin("out", "run", "plan.yaml", directory, &err), 0);
	assert_int_equal(store_add(*directory, JOURNAL_NAME, &journal, &err), 0);
	return (struct store_rescue){.directory = *directory,
				     .answers = true,
				     .run = "run",
				     .plan = &plan,
				     .clocks = &clock,
				     .secret = JOURNAL_NAME,
				     .result = &sample->result,
				     .series = &sample->series};
}

static char *rescue(const struct store_rescue *what, bool *has_secret)
{
	struct error err = {0};
	char *rescued = store_rescue(what, has_secret, &err);

	if (!rescued)
		fail_msg("%s", err.text);
	free(rescued);
	unsetenv("TMPDIR");
	char *text = read_file("muster-run/plan.yaml");
	assert_string_equal(text, PLAN);
	return text;
}

/* It has the secret by which agents give out what they keep: without it that is lost. */
static void the_journal_of_what_is_left_goes_along(void **state)
{
	struct sample sample;
	struct stat st;
	char *directory;
	bool has_secret;

	(void)state;
	struct store_rescue what = begin_rescue(&sample, &directory);
	free(rescue(&what, &has_secret));
	assert_true(has_secret);
	assert_int_equal(stat("muster-run/" JOURNAL_NAME, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(exists("muster-run/run.json"));
	assert_false(exists("out.partial"));
	free(directory);
	sample_release(&sample);
}

static void a_journal_that_cannot_go_along_stays(void **state)
{
	struct sample sample;
	char *directory;
	bool has_secret;

	(void)state;
	struct store_rescue what = begin_rescue(&sample, &directory);
	/* Nothing of what is there is read or removed: its disk does not answer. */
	what.answers = false;
	assert_int_equal(rename("out.partial/plan.yaml", "elsewhere"), 0);
	free(rescue(&what, &has_secret));
	assert_false(has_secret);
	assert_true(exists("out.partial/" JOURNAL_NAME));
	assert_false(exists("muster-run/" JOURNAL_NAME));
	assert_int_equal(system("rm -r muster-run"), 0);

	what.answers = true;
	what.secret = "none";
	assert_int_equal(setenv("TMPDIR", place, 1), 0);
	free(rescue(&what, &has_secret));
	assert_false(has_secret);
	assert_true(exists("out.partial/" JOURNAL_NAME));
	assert_int_equal(system("rm -r muster-run"), 0);

	/* A whole result needs none. */
	what.secret = NULL;
	assert_int_equal(setenv("TMPDIR", place, 1), 0);
	free(rescue(&what, &has_secret));
	assert_false(exists("out.partial"));
	assert_false(exists("muster-run/" JOURNAL_NAME));
	free(directory);
	sample_release(&sample);
}

static void require_no_journal(const char *run, const char *want)
{
	struct store_again again;
	struct error err = {0};

	assert_int_equal(store_again_find(&again, run, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	if (!strstr(err.text, want))
		fail_msg("'%s' does not say '%s'", err.text, want);
}

/* Only what was written to its end proves that nothing is left to collect. */
static void a_run_without_a_journal_is_whole_or_lost(void **state)
{
	static const char whole[] = "that run is whole", lost[] = "'out.partial' has lost its",
			  none[] = "'out' is not the directory of a run";

	(void)state;
	require_no_journal("plan.yaml", "'plan.yaml' is no directory");
	require_no_journal("out", "neither 'out' nor 'out.partial' is there");
	assert_int_equal(mkdir("out", 0777), 0);
	require_no_journal("out", none);
	assert_int_equal(write_file("out/run.json", "{}"), 0);
	require_no_journal("out/", none);
	assert_int_equal(write_file("out/MANIFEST.json", "{}"), 0);
	require_no_journal("out", whole);
	assert_int_equal(unlink("out/MANIFEST.json"), 0);
	assert_int_equal(mkdir("out.partial", 0777), 0);
	require_no_journal("out", lost);
	require_no_journal("out.partial", "muster collect --plan");
}

#define IN_A_PLACE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_PLACE(a_run_is_three_files_in_a_directory_of_its_name),
		IN_A_PLACE(run_json_reads_back_as_it_was),
		cmocka_unit_test(the_timeline_has_every_bucket_and_adds_up),
		IN_A_PLACE(what_cannot_be_begun_leaves_nothing),
		IN_A_PLACE(a_run_that_measured_nothing_leaves_nothing),
		IN_A_PLACE(a_disk_that_fills_keeps_what_was_written),
		IN_A_PLACE(the_journal_goes_when_the_result_is_there),
		IN_A_PLACE(a_run_without_a_journal_is_whole_or_lost),
		IN_A_PLACE(the_journal_of_what_is_left_goes_along),
		IN_A_PLACE(a_journal_that_cannot_go_along_stays),
		IN_A_PLACE(a_directory_that_came_up_meanwhile_is_not_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
