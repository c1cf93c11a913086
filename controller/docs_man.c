#include "controller/docs_man.h"

#include "common/man.h"
#include "controller/options.h"
#include "controller/plan.h"

static const char environment[] =
	".Bl -tag -width Ds\n"
	".It Ev MUSTER_KEYS\n"
	"the directory of keys, in place of\n"
	".Pa /etc/muster/keys\n"
	"(root) or\n"
	".Pa ~/.config/muster/keys .\n"
	".It Ev MUSTER_SIGN_KEY\n"
	"the secret key that runs are signed with, unless\n"
	".Fl \\-sign-key\n"
	"is given.\n"
	".It Ev TMPDIR\n"
	"where directories of local agents are made\n"
	".Pa ( /var/tmp\n"
	"without it),\n"
	"which go with the run and stay, with what was measured, when\n"
	".Nm\n"
	"is killed, until the run is collected or taken up again; and where results go\n"
	"when their own directory cannot be written\n"
	".Pa ( /tmp\n"
	"without it).\n"
	".It Ev GITHUB_STEP_SUMMARY , GITHUB_ACTIONS\n"
	"set by GitHub in a step: the report is appended to the summary as Markdown, and\n"
	"where the second is\n"
	".Ql true ,\n"
	"findings and gates are annotations on standard output.\n"
	".El\n";

static const char files[] =
	".Bl -tag -width Ds\n"
	".It Pa muster-runs/ Ns Ar run\n"
	"a run, whole; with\n"
	".Pa .partial\n"
	"one that is under way or died, for\n"
	".Cm run Fl \\-resume\n"
	"and\n"
	".Cm collect .\n"
	"In it:\n"
	".Bl -tag -width Ds\n"
	".It Pa plan.yaml\n"
	"the plan as it was read, without what\n"
	".Fl \\-set\n"
	"changed.\n"
	".It Pa run.json\n"
	"everything measured: raw integers, with the unit in the key.\n"
	".It Pa timeline.csv\n"
	"bytes, operations and worst latency of each bucket of each target of each host.\n"
	".It Pa junit.xml\n"
	"a case for the run, each phase and each gate.\n"
	".It Pa clock.bin\n"
	"the raw exchanges that clocks were estimated from.\n"
	".It Pa journal.bin\n"
	"what a run under way has so far; gone when the result is whole.\n"
	".It Pa MANIFEST.json\n"
	"size and SHA-256 of each, and the signature.\n"
	".El\n"
	".It Pa /etc/muster/keys , ~/.config/muster/keys\n"
	"keys by name:\n"
	".Pa NAME.secret\n"
	"for its owner,\n"
	".Pa NAME.key\n"
	"for who talks to it.\n"
	".El\n";

void docs_man_muster(FILE *file)
{
	static const char *const pages[] = {"muster-agent.yaml", "5", "muster-plan", "5",
					    "muster-agent",      "8", NULL};

	man_begin(file, "muster", "1",
		  "synchronised storage load on several hosts, with a verdict");
	man_usage(file, "muster", options_usage);
	man_section(file, "ENVIRONMENT");
	fputs(environment, file);
	man_section(file, "FILES");
	fputs(files, file);
	man_exits(file, options_usage);
	man_section(file, "EXAMPLES");
	man_text(file, "What each host would do and lose, without I/O; then the run, and later the "
		       "report again:\n"
		       "\n"
		       "    muster check fleet.yaml --fleet\n"
		       "    muster run fleet.yaml\n"
		       "    muster report muster-runs/20261130-191502-3fa9 --as markdown\n"
		       "\n"
		       "The same load again, with gates against that run, signed:\n"
		       "\n"
		       "    muster keygen --sign ops\n"
		       "    muster run fleet.yaml --baseline muster-runs/20261130-191502-3fa9 \\\n"
		       "        --sign-key ops.sign.key\n"
		       "\n"
		       "Keys of a controller and four agents; a run whose connection was lost:\n"
		       "\n"
		       "    muster keygen ops 'store[01-04]'\n"
		       "    muster collect muster-runs/20261130-204410-91c2.partial\n"
		       "\n"
		       "The same when the controller's disk is lost: what agents keep, then "
		       "that run:\n"
		       "\n"
		       "    muster collect --plan fleet.yaml --key ops\n"
		       "    muster collect --plan fleet.yaml 20261130-204410-91c2 --key ops\n");
	man_see_also(file, pages);
}

void docs_man_plan(FILE *file, const char *intro)
{
	static const char *const pages[] = {"muster", "1", "muster-agent", "8", NULL};
	const struct record_table *tables[] = {&plan_table};

	man_begin(file, "muster-plan", "5",
		  "what muster measures, where, and what it is held against");
	man_section(file, "DESCRIPTION");
	man_text(file, intro);
	man_section(file, "KEYS");
	man_tables(file, tables, 1);
	man_section(file, "EXAMPLES");
	man_text(file,
		 "Four hosts write twice their memory to a file each and read it back, and each "
		 "has to read\n800 MB/s:\n"
		 "\n"
		 "    name: first-fleet\n"
		 "    fleet: {key: ops, agents: [{host: \"store[01-04]\"}]}\n"
		 "    targets: {volume: {path: /test, size: 2x ram}}\n"
		 "    defaults: {targets: [volume], workers: 4, runtime: 60s, ramp: 5s}\n"
		 "    phases: [{name: write, op: write}, {name: read, op: read}]\n"
		 "    gates:\n"
		 "      - {phase: read, metric: throughput, of: host, at_least: 800 MB/s}\n");
	man_see_also(file, pages);
}
