/* docs_main.c - muster-docs: prints pages of docs/ from the tables. */
#include <stdio.h>
#include <string.h>

#include "common/record_doc.h"
#include "controller/docs_man.h"
#include "controller/foreign.h"
#include "controller/plan.h"
#include "controller/report/explain.h"
#include "proto/agent_state.h"
#include "proto/messages.h"
#include "proto/version.h"

static const char plan_intro[] =
	"A plan is one YAML document. Sizes: `4096`, `4KiB`, `1MiB`, `2GiB`, and `k`, `M`, `G`, "
	"`T` alone are\nbinary too (`64k` is 65,536); `kB`, `MB`, `GB`, `TB` are decimal. Times: "
	"`50ms`, `60s`, `5m`, `2h`.\nShares: `10%`. Rates: `800 MB/s`. Memory: `2x ram` is twice "
	"the memory of each host. Everything else\n(trailing letters, signs, leading zeros, "
	"overflow) is an error that says where it stands and what would\nbe legal; `muster check "
	"PLAN` prints all of them at once.\n\n"
	"`defaults` is a map of phase keys; each phase has those that it does not set itself. An "
	"agent's\n`targets` completes or replaces the plan's targets of the same name on its "
	"hosts.\n";

static void print_plan(void)
{
	const struct record_table *tables[] = {&plan_table};

	printf("# The plan\n\nPrinted from the tables by `make docs`; do not edit.\n\n%s\n",
	       plan_intro);
	record_doc_print(tables, 1, false, stdout);
}

static void print_states(void)
{
	puts("## States of an agent\n\n| state | event | next |\n|---|---|---|");
	for (int state = 0; state < AGENT_STATES; state++)
		for (int event = 0; event < AGENT_EVENTS; event++) {
			int next =
				agent_state_next((enum agent_state)state, (enum agent_event)event);
			if (next >= 0)
				printf("| %s | %s | %s |\n",
				       agent_state_name((enum agent_state)state),
				       agent_event_name((enum agent_event)event),
				       agent_state_name((enum agent_state)next));
		}
	puts("");
}

static void print_protocol(void)
{
	const struct record_table *tables[MESSAGE_KINDS];

	printf("# The protocol\n\n"
	       "Printed from the tables by `make docs`; do not edit. Fingerprint of this version: "
	       "`%s`.\n\n"
	       "One ZeroMQ ROUTER socket on each side. A message is one frame, a msgpack array\n"
	       "`[kind, lease, phase, attempt, body]`; the body is an array of the rows below in "
	       "their order, "
	       "absent text\nand records are nil, enumerations are names. `hello` and `refuse` "
	       "have a form of "
	       "their own that never\nchanges: `[\"muster\", 1, kind, version, fingerprint, host, "
	       "program or "
	       "reason]`. Frames are at most 16 MiB.\n\n"
	       "| kind | from | what |\n|---|---|---|\n",
	       version_fingerprint());
	for (int kind = 0; kind < MESSAGE_KINDS; kind++) {
		const struct message_type *type = &message_types[kind];
		const char *from = type->from_agent && type->from_controller ? "both"
				   : type->from_agent                        ? "agent"
									     : "controller";
		printf("| `%s` | %s | %s |\n", type->name, from, type->doc);
		tables[kind] = type->table;
	}
	puts("");
	print_states();
	record_doc_print(tables, MESSAGE_KINDS, true, stdout);
}

static void print_judge(void)
{
	const struct record_table *tables[] = {&foreign_table,       &foreign_sample_table,
					       &foreign_total_table, &foreign_counter_table,
					       &foreign_tick_table,  &foreign_beat_table,
					       &sweep_point_table};

	puts("# Numbers that muster did not measure\n\n"
	     "Printed from the tables by `make docs`; do not edit.\n\n"
	     "    muster judge FILE... [--baseline RUN] [--as text|markdown|junit|json]\n\n"
	     "applies findings, gates, outcome and exit code of a run to numbers that are there "
	     "already.\n`FILE` is a run directory or its `run.json` (with its `timeline.csv` "
	     "beside "
	     "it), or a YAML file as\nbelow, for what somebody else measured: in the plan's own "
	     "words what was asked for, what is known of\nhosts and storage, and CSV files beside "
	     "it "
	     "with the figures:\n\n"
	     "    judge: 1\n"
	     "    name: burn-in\n"
	     "    hosts: {a: {memory: 64GiB}, b: {memory: 64GiB}}\n"
	     "    storage: {disk: {level: raid6, disks: 16, disk_rate: 150 MB/s}}\n"
	     "    phases:\n"
	     "      - {name: w, op: write, targets: [disk], block_size: 1MiB, runtime: 5m}\n"
	     "    measured:\n"
	     "      - {phase: w, timeline: w.csv, counters: w-disks.csv}\n"
	     "    gates:\n"
	     "      - {phase: w, metric: spread, of: fleet, at_most: 10%}\n\n"
	     "and `w.csv`:\n\n"
	     "    time_s,host,bytes_per_s\n"
	     "    0,a,812000000\n"
	     "    0,b,797000000\n"
	     "    1,a,809000000\n\n"
	     "A phase with `size` is one of a fixed amount. The `ramp` of a phase stands at the "
	     "beginning of its\ntimeline, and is left out as in a run; totals are told without it. "
	     "A phase of which nothing was\nmeasured is looked at as a plan: blocks, sizes, space; "
	     "what would be "
	     "refused is exit 5. What is left\nout is not known, and rules that need it stay "
	     "silent, "
	     "or say that they cannot tell. Units in YAML are\nthose of PLAN.md; CSV has plain "
	     "numbers, with a point and no thousands, the unit in the column's name;\nsizes and "
	     "times "
	     "of a table that are integers may have units too. A cell may be quoted (RFC 4180).\n"
	     "Errors say file, line and column, and what would be legal; nothing is judged then, "
	     "and "
	     "the exit code\nis 2. With several files it is the one that counts most: 6, 2, 3, 5, "
	     "1, "
	     "4, 0.\n");
	record_doc_print(tables, sizeof(tables) / sizeof(tables[0]), false, stdout);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "plan") == 0)
		print_plan();
	else if (argc == 2 && strcmp(argv[1], "protocol") == 0)
		print_protocol();
	else if (argc == 2 && strcmp(argv[1], "findings") == 0)
		explain_page(stdout);
	else if (argc == 2 && strcmp(argv[1], "judge") == 0)
		print_judge();
	else if (argc == 2 && strcmp(argv[1], "man-muster") == 0)
		docs_man_muster(stdout);
	else if (argc == 2 && strcmp(argv[1], "man-plan") == 0)
		docs_man_plan(stdout, plan_intro);
	else {
		fputs("usage: muster-docs plan | protocol | findings | judge | man-muster | "
		      "man-plan\n",
		      stderr);
		return 2;
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
