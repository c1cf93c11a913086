/* docs_main.c - muster-agent-docs: prints the agent's manual pages from its tables. */
#include <stdio.h>
#include <string.h>

#include "agent/config.h"
#include "agent/options.h"
#include "common/man.h"

static const char files[] =
	".Bl -tag -width Ds\n"
	".It Pa /etc/muster/agent.yaml\n"
	"what controllers may use, see\n"
	".Xr muster-agent.yaml 5 .\n"
	".It Pa /etc/muster/keys\n"
	"the agent's own secret key and the public ones of its controllers.\n"
	".It Pa /var/lib/muster\n"
	"its spool: which files it made, so that they are removed after a crash "
	"too,\n"
	"and what was measured until a controller has it on its own disk.\n"
	".El\n";

static void print_agent(void)
{
	static const char *const pages[] = {"muster", "1", "muster-agent.yaml", "5", "muster-plan",
					    "5",      NULL};

	man_begin(stdout, "muster-agent", "8", "drives a host's storage for muster");
	man_usage(stdout, "muster-agent", options_usage);
	man_section(stdout, "SIGNALS");
	man_text(stdout,
		 "SIGTERM and SIGINT stop the load, remove what the agent made and end it.");
	man_section(stdout, "FILES");
	fputs(files, stdout);
	man_exits(stdout, options_usage);
	man_section(stdout, "EXAMPLES");
	man_text(stdout, "Once its keys are there, see muster(1) `keygen`:\n"
			 "\n"
			 "    muster-agent\n"
			 "\n"
			 "On the loopback, without keys:\n"
			 "\n"
			 "    muster-agent --config ./agent.yaml --listen tcp://127.0.0.1:7411\n");
	man_see_also(stdout, pages);
}

static void print_config(void)
{
	static const char *const pages[] = {"muster", "1", "muster-agent", "8", NULL};
	const struct record_table *tables[] = {&agent_config_table};

	man_begin(stdout, "muster-agent.yaml", "5", "what a controller may ask of a host");
	man_section(stdout, "DESCRIPTION");
	man_text(stdout, "One YAML document, /etc/muster/agent.yaml unless muster-agent(8) is told "
			 "another. Sizes, times and names are those of muster-plan(5).");
	man_section(stdout, "KEYS");
	man_tables(stdout, tables, 1);
	man_section(stdout, "EXAMPLES");
	man_text(stdout, "    listen: tcp://0.0.0.0:7411\n"
			 "    key: agent\n"
			 "    controllers: [ops]\n"
			 "    allow_paths: [/test]\n"
			 "    allow_devices: [/dev/disk/by-id/scsi-0001]\n"
			 "    spool: /var/lib/muster\n");
	man_see_also(stdout, pages);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "agent") == 0) {
		print_agent();
	} else if (argc == 2 && strcmp(argv[1], "config") == 0) {
		print_config();
	} else {
		fputs("usage: muster-agent-docs agent | config\n", stderr);
		return 2;
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
