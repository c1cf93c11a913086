/* What is in a journal, row by row. */
#include "controller/journal.h"

static const struct record_row head_rows[] = {
	{MEMBER(struct journal_head, format), .min = 1},
	{MEMBER(struct journal_head, run), .required = true},
	{MEMBER(struct journal_head, owner), .required = true},
	{MEMBER(struct journal_head, started_at), .required = true},
	{MEMBER(struct journal_head, fingerprint), .required = true},
	{MEMBER(struct journal_head, run_start_ns)},
	{MEMBER(struct journal_head, now_ns)},
	{MEMBER(struct journal_head, plan_crc)},
	{MEMBER(struct journal_head, kept_trials)},
	{MEMBER(struct journal_head, seed)},
	{MEMBER(struct journal_head, insecure)},
	{MEMBER_LIST(struct journal_head, settings, name_table)},
};
static const struct record_table head_table = RECORD_TABLE(
	struct journal_head, "journal_head", head_rows, "A run begins, or is taken up again.");

static const struct record_row host_rows[] = {
	{MEMBER(struct journal_host, host)},
	{MEMBER(struct journal_host, name), .required = true},
	{MEMBER(struct journal_host, directory)},
	{MEMBER_ONE(struct journal_host, facts, leased_table)},
};
static const struct record_table host_table =
	RECORD_TABLE(struct journal_host, "journal_host", host_rows, "A host of the fleet.");

static const struct record_row begun_rows[] = {
	{MEMBER(struct journal_begun, number), .min = 1},
	{MEMBER(struct journal_begun, attempt), .min = 1},
	{MEMBER(struct journal_begun, trial), .min = 1},
	{MEMBER(struct journal_begun, phase)},
};
static const struct record_table begun_table =
	RECORD_TABLE(struct journal_begun, "journal_begun", begun_rows, "A phase is prepared.");

static const struct record_row started_rows[] = {
	{MEMBER(struct journal_started, number), .min = 1},
	{MEMBER(struct journal_started, attempt), .min = 1},
	{MEMBER(struct journal_started, start_ns), .min = 1},
};
static const struct record_table started_table = RECORD_TABLE(
	struct journal_started, "journal_started", started_rows, "Its start has been sent.");

static const struct record_row border_rows[] = {
	{MEMBER(struct journal_border, from)},
	{MEMBER(struct journal_border, at_ns)},
	{MEMBER(struct journal_border, drift_ppb)},
};
static const struct record_table border_table =
	RECORD_TABLE(struct journal_border, "journal_border", border_rows, "Borders in force.");

static const struct record_row answer_rows[] = {
	{MEMBER(struct journal_answer, number), .min = 1},
	{MEMBER(struct journal_answer, host)},
	{MEMBER(struct journal_answer, is_lost)},
	{MEMBER(struct journal_answer, is_started)},
	{MEMBER(struct journal_answer, is_stopped)},
	{MEMBER(struct journal_answer, why)},
	{MEMBER(struct journal_answer, collected)},
	{MEMBER(struct journal_answer, lost_ns)},
	{MEMBER(struct journal_answer, silence_ns)},
	{MEMBER_MAYBE(struct journal_answer, ready, ready_table)},
	{MEMBER_MAYBE(struct journal_answer, failed, failed_table)},
	{MEMBER_MAYBE(struct journal_answer, done, done_table)},
	{MEMBER_LIST(struct journal_answer, borders, border_table)},
	{MEMBER_LIST(struct journal_answer, disruptions, disruption_table)},
	{MEMBER(struct journal_answer, disruptions_dropped)},
};
static const struct record_table answer_table = RECORD_TABLE(
	struct journal_answer, "journal_answer", answer_rows, "What a host said of a phase.");

static const struct record_row series_rows[] = {
	{MEMBER(struct journal_series, number), .min = 1},
	{MEMBER(struct journal_series, host)},
	{MEMBER_ONE(struct journal_series, buckets, timeline_table)},
};
static const struct record_table series_table =
	RECORD_TABLE(struct journal_series, "journal_series", series_rows, "Its buckets.");

static const struct record_row ended_rows[] = {
	{MEMBER(struct journal_ended, number), .min = 1},
	{MEMBER(struct journal_ended, end), .max = 4},
	{MEMBER(struct journal_ended, now_ns)},
};
static const struct record_table ended_table =
	RECORD_TABLE(struct journal_ended, "journal_ended", ended_rows, "All of a phase is here.");

static const struct record_table *const tables[JOURNAL_KINDS] = {
	[JOURNAL_HEAD] = &head_table,     [JOURNAL_HOST] = &host_table,
	[JOURNAL_BEGUN] = &begun_table,   [JOURNAL_STARTED] = &started_table,
	[JOURNAL_ANSWER] = &answer_table, [JOURNAL_SERIES] = &series_table,
	[JOURNAL_ENDED] = &ended_table,
};

const struct record_table *journal_table(enum journal_kind kind)
{
	return (unsigned)kind < JOURNAL_KINDS ? tables[kind] : NULL;
}
