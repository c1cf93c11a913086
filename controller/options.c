#include "controller/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

const char options_usage[] =
	"usage: muster run PLAN [--out DIR] [--set KEY=VALUE]... [--insecure] [--quiet]\n"
	"       muster check PLAN [--fleet] [--set KEY=VALUE]... [--insecure]\n"
	"       muster fleet PLAN [--set KEY=VALUE]... [--insecure]\n"
	"       muster explain [CODE]\n"
	"\n"
	"Sends the same read and write phases to all hosts of PLAN at the same instant, adds up "
	"what\n"
	"they moved on one clock, and says whether it passes. The report goes to stdout, progress "
	"to\n"
	"stderr, everything that was measured into a run directory.\n"
	"\n"
	"  run               measure\n"
	"  check             read the plan and say all that is wrong with it; asks no host, or "
	"with\n"
	"                    --fleet each one what it would do and lose, and what refuses it; no "
	"I/O\n"
	"  fleet             ask every host what it is and how well its clock is known; no I/O\n"
	"  explain           the rule behind a finding, where it comes from and what to do; all "
	"of\n"
	"                    them without CODE\n"
	"\n"
	"  --out DIR         the run directory to make (default muster-runs/<run>)\n"
	"  --set KEY=VALUE   change the plan: defaults.runtime=5s, phases.write.workers=4\n"
	"  --insecure        talk to agents beyond the loopback although nothing is encrypted or\n"
	"                    authenticated yet\n"
	"  --quiet           no progress\n"
	"  --verbose         say more on stderr\n"
	"  --help, --version\n"
	"\n"
	"exit: 0 PASS, 1 FAIL, 2 usage or plan error, 3 INVALID (host lost, cache, errors, too "
	"short),\n"
	"      4 INCONCLUSIVE, 5 REFUSED by an agent before any I/O, 6 not set up\n";

enum { OPTION_INSECURE = 256, OPTION_VERBOSE, OPTION_FLEET };

static const struct option known[] = {
	{"out", required_argument, NULL, 'o'},
	{"set", required_argument, NULL, 's'},
	{"insecure", no_argument, NULL, OPTION_INSECURE},
	{"fleet", no_argument, NULL, OPTION_FLEET},
	{"quiet", no_argument, NULL, 'q'},
	{"verbose", no_argument, NULL, OPTION_VERBOSE},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

#define COMMANDS "run, check, fleet or explain"

static int parse_command(struct options *options, const char *word, struct error *err)
{
	static const struct {
		const char *word;
		enum options_command command;
	} commands[] = {
		{"run", OPTIONS_RUN},
		{"check", OPTIONS_CHECK},
		{"fleet", OPTIONS_FLEET},
		{"explain", OPTIONS_EXPLAIN},
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(word, commands[i].word) == 0) {
			options->command = commands[i].command;
			return 0;
		}
	error_set(err, ERROR_USAGE, "'%s' is no command; wanted is " COMMANDS "; see muster --help",
		  word);
	return -1;
}

static void add_setting(struct options *options, char *setting)
{
	options->settings = mem_resize(options->settings, options->settings_count + 1,
				       sizeof(*options->settings));
	options->settings[options->settings_count++] = setting;
}

static int parse_words(struct options *options, int argc, char **argv, struct error *err)
{
	if (options->command == OPTIONS_HELP || options->command == OPTIONS_VERSION)
		return 0;
	if (argc - optind < 1) {
		error_set(err, ERROR_USAGE,
			  "a command is missing: " COMMANDS "; see muster --help");
		return -1;
	}
	if (parse_command(options, argv[optind], err) < 0)
		return -1;
	if (options->command == OPTIONS_EXPLAIN && argc - optind <= 2) {
		options->code = argc - optind == 2 ? argv[optind + 1] : NULL;
		return 0;
	}
	if (options->command == OPTIONS_EXPLAIN) {
		error_set(err, ERROR_USAGE, "'explain' takes one code or none, got %d",
			  argc - optind - 1);
		return -1;
	}
	if (argc - optind != 2) {
		error_set(err, ERROR_USAGE, "'%s' takes one plan, got %d; see muster --help",
			  argv[optind], argc - optind - 1);
		return -1;
	}
	options->plan = argv[optind + 1];
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, struct error *err)
{
	int option;

	*options = (struct options){.command = OPTIONS_RUN};
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:s:qhV", known, NULL)) != -1) {
		switch (option) {
		case 'o':
			options->out = optarg;
			break;
		case 's':
			if (!strchr(optarg, '=')) {
				error_set(err, ERROR_USAGE,
					  "--set '%s' has no '=': wanted is KEY=VALUE", optarg);
				return -1;
			}
			add_setting(options, optarg);
			break;
		case OPTION_INSECURE:
			options->insecure = true;
			break;
		case OPTION_FLEET:
			options->fleet = true;
			break;
		case 'q':
			options->quiet = true;
			break;
		case OPTION_VERBOSE:
			options->verbose = true;
			break;
		case 'h':
			options->command = OPTIONS_HELP;
			break;
		case 'V':
			options->command = OPTIONS_VERSION;
			break;
		case ':':
			error_set(err, ERROR_USAGE, "'%s' needs a value; see muster --help",
				  argv[optind - 1]);
			return -1;
		default:
			error_set(err, ERROR_USAGE, "unknown option '%s'; see muster --help",
				  argv[optind - 1]);
			return -1;
		}
	}
	return parse_words(options, argc, argv, err);
}

void options_release(struct options *options)
{
	free(options->settings);
}
