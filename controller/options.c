#include "controller/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/getopt_error.h"
#include "common/memory.h"
#include "common/nearest.h"

const char options_usage[] =
	"usage: muster run PLAN [--out DIR] [--set KEY=VALUE]... [--key NAME | --insecure]\n"
	"                       [--baseline RUN] [--sign-key FILE] [--quiet]\n"
	"       muster run --resume RUN [--baseline RUN] [--key NAME | --insecure]\n"
	"                       [--sign-key FILE] [--quiet]\n"
	"       muster collect RUN [--baseline RUN] [--key NAME | --insecure] [--sign-key FILE]\n"
	"                       [--quiet]\n"
	"       muster collect --plan PLAN [RUN-ID] [--out DIR] [--set KEY=VALUE]... [--key NAME]\n"
	"                       [--baseline RUN] [--sign-key FILE] [--quiet]\n"
	"       muster check PLAN [--fleet] [--strict] [--set KEY=VALUE]... [--key NAME | "
	"--insecure]\n"
	"       muster fleet PLAN [--set KEY=VALUE]... [--key NAME | --insecure]\n"
	"       muster report RUN [--as text|markdown|junit|json]\n"
	"       muster explain [CODE]\n"
	"       muster judge FILE... [--baseline RUN] [--as text|markdown|junit|json]\n"
	"       muster verify RUN [--key FILE]\n"
	"       muster keygen NAME... [--dir DIR]\n"
	"       muster keygen --sign NAME...\n"
	"       muster help [COMMAND]\n"
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
	"  run --resume      go on with a run that did not come to its end: trials that are whole "
	"stand,\n"
	"                    the others are run; RUN is its directory, with .partial or without\n"
	"  collect           fetch what agents have kept of a run whose controller or connection "
	"was\n"
	"                    lost, and complete its result; with --plan when its directory is gone "
	"as\n"
	"                    well: by the run's id, with the key that its controller had, and "
	"without\n"
	"                    RUN-ID a list of what is kept where\n"
	"  report            print a run again: a run directory, or its run.json\n"
	"  explain           the rule behind a finding, where it comes from and what to do; all "
	"of\n"
	"                    them without CODE\n"
	"  verify            say whether a run directory is what was written: exit 0 it is, and "
	"--key\n"
	"                    signed it; 1 changed, or not signed by --key; 4 unchanged, but "
	"nothing\n"
	"                    proves who wrote it (without --key)\n"
	"  keygen            make a pair of keys for each NAME (also `store[01-04]`): NAME.secret "
	"for\n"
	"                    its owner, a controller or an agent, NAME.key for who talks to it\n"
	"  keygen --sign     make NAME.sign.key, which signs runs, and NAME.sign.pub, which "
	"checks\n"
	"  judge             apply the rules and gates to a run that is there already (its "
	"directory or\n"
	"                    run.json), or to numbers that muster did not measure "
	"(docs/JUDGE.md)\n"
	"  help              this text, or what is in it about one command\n"
	"\n"
	"  --out DIR         the run directory to make (default muster-runs/<run>)\n"
	"  --set KEY=VALUE   change the plan: defaults.runtime=5s, phases.write.workers=4\n"
	"  --plan PLAN       collect: the plan of a run whose directory is gone; its phases and "
	"targets\n"
	"                    have to be those that the agents were asked for\n"
	"  --baseline RUN    the run that gates with `against: baseline` are held against\n"
	"  --as FORM         of report and judge: text (as run prints it; of report without "
	"timelines),\n"
	"                    markdown, junit, or json, as run.json has it\n"
	"  --sign-key FILE   sign MANIFEST.json with this secret key (default $MUSTER_SIGN_KEY)\n"
	"  --key NAME        this controller's secret key, before the plan's fleet.key: a name in "
	"the\n"
	"                    directory of keys, or a path\n"
	"  --key FILE        verify: the public key that the run has to be signed by\n"
	"  --dir DIR         where keygen puts keys (default /etc/muster/keys for root, else\n"
	"                    ~/.config/muster/keys; the environment's MUSTER_KEYS goes before)\n"
	"  --insecure        talk to agents beyond the loopback without keys: nothing is encrypted "
	"or\n"
	"                    authenticated, and the result says so; has to be typed at the agents "
	"too\n"
	"  --strict          check: refuse (exit 2) what is only warned of\n"
	"  --quiet           no progress\n"
	"  --verbose         say more on stderr\n"
	"  --help, --version\n"
	"\n"
	"exit:\n"
	"  0  PASS: measured, and every gate holds\n"
	"  1  FAIL: measured, and a gate does not hold\n"
	"  2  usage or plan error; nothing was asked of any host\n"
	"  3  INVALID: I/O had begun and the measurement is broken: host lost, errors, cache, too "
	"short\n"
	"  4  INCONCLUSIVE: a gate cannot be judged: too few data, or the phase was not steady\n"
	"  5  REFUSED: an agent said no before any I/O, and why\n"
	"  6  not set up: unreachable, other build, agent held, results not written\n";

enum {
	OPTION_INSECURE = 256,
	OPTION_VERBOSE,
	OPTION_FLEET,
	OPTION_RESUME,
	OPTION_SIGN,
	OPTION_SIGN_KEY,
	OPTION_KEY,
	OPTION_STRICT,
	OPTION_DIR,
	OPTION_PLAN,
	OPTION_BASELINE,
	OPTION_AS
};

static const struct option known[] = {
	{"out", required_argument, NULL, 'o'},
	{"set", required_argument, NULL, 's'},
	{"insecure", no_argument, NULL, OPTION_INSECURE},
	{"fleet", no_argument, NULL, OPTION_FLEET},
	{"resume", no_argument, NULL, OPTION_RESUME},
	{"sign", no_argument, NULL, OPTION_SIGN},
	{"sign-key", required_argument, NULL, OPTION_SIGN_KEY},
	{"key", required_argument, NULL, OPTION_KEY},
	{"strict", no_argument, NULL, OPTION_STRICT},
	{"dir", required_argument, NULL, OPTION_DIR},
	{"plan", required_argument, NULL, OPTION_PLAN},
	{"baseline", required_argument, NULL, OPTION_BASELINE},
	{"as", required_argument, NULL, OPTION_AS},
	{"quiet", no_argument, NULL, 'q'},
	{"verbose", no_argument, NULL, OPTION_VERBOSE},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

/* What each command is and takes. */
static const struct command {
	const char *word;
	enum options_command command;
	const char *takes;   /* its one operand, in words */
	const char *options; /* between blanks; what is not told takes them all: quiet, verbose */
	bool is_optional;    /* no operand will do */
	bool is_many;        /* or several */
} commands[] = {
	{"run", OPTIONS_RUN, "plan", " out set key insecure baseline sign-key "},
	{"check", OPTIONS_CHECK, "plan", " fleet strict set key insecure "},
	{"fleet", OPTIONS_FLEET, "plan", " set key insecure "},
	{"collect", OPTIONS_COLLECT, "run directory", " baseline key insecure sign-key "},
	{"report", OPTIONS_REPORT, "run directory", " as "},
	{"explain", OPTIONS_EXPLAIN, "code", "", .is_optional = true},
	{"verify", OPTIONS_VERIFY, "run directory", " key "},
	{"keygen", OPTIONS_KEYGEN, "name", " dir ", .is_many = true},
	{"judge", OPTIONS_JUDGE, "file", " baseline as ", .is_many = true},
	{"help", OPTIONS_HELP, "command", "", .is_optional = true},
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* The same with the option that makes another command of it. */
static const struct command resume = {"run --resume", OPTIONS_RUN, "run directory",
				      " resume key insecure baseline sign-key "};
static const struct command spools = {"collect --plan", OPTIONS_COLLECT, "run's id",
				      " plan out set key insecure baseline sign-key ",
				      .is_optional = true};
static const struct command sign = {"keygen --sign", OPTIONS_KEYGEN, "name", " sign ",
				    .is_many = true};

/* "run, check or fleet" */
static void list_commands(char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < COMMANDS && used < size; i++) {
		const char *before = i == 0 ? "" : i + 1 == COMMANDS ? " or " : ", ";
		int length = snprintf(text + used, size - used, "%s%s", before, commands[i].word);
		used += length > 0 ? (size_t)length : 0;
	}
}

static const struct command *find_command(const char *word, struct error *err)
{
	char words[256];

	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].word, word) == 0)
			return &commands[i];
	struct nearest nearest = nearest_start(word);
	for (size_t i = 0; i < COMMANDS; i++)
		nearest_try(&nearest, commands[i].word);
	list_commands(words, sizeof(words));
	error_set(err, ERROR_USAGE, "'%s' is no command; wanted is %s%s%s%s; see muster --help",
		  word, words, nearest.name ? "; nearest is '" : "",
		  nearest.name ? nearest.name : "", nearest.name ? "'" : "");
	return NULL;
}

/* Those that every command takes. */
static bool is_general(const struct option *option)
{
	return option->val == 'q' || option->val == OPTION_VERBOSE || option->val == 'h' ||
	       option->val == 'V';
}

/* What was asked for and would be passed over. */
static int check_options(const struct command *command, uint32_t given, struct error *err)
{
	for (size_t i = 0; known[i].name; i++) {
		char word[32];
		snprintf(word, sizeof(word), " %s ", known[i].name);
		if (!(given & (UINT32_C(1) << i)) || is_general(&known[i]) ||
		    strstr(command->options, word))
			continue;
		error_set(err, ERROR_USAGE, "'%s' takes no --%s; see muster --help", command->word,
			  known[i].name);
		return -1;
	}
	return 0;
}

static void add_setting(struct options *options, char *setting)
{
	options->settings = mem_resize(options->settings, options->settings_count + 1,
				       sizeof(*options->settings));
	options->settings[options->settings_count++] = setting;
}

bool options_take(const char *command, const char *option)
{
	const struct command *const forms[] = {&resume, &spools, &sign};
	char word[32];
	enum options_command which = OPTIONS_HELP;
	bool takes = false;

	for (size_t i = 0; known[i].name; i++)
		if (is_general(&known[i]) && strcmp(known[i].name, option) == 0)
			return true;
	snprintf(word, sizeof(word), " %s ", option);
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i].word, command) != 0)
			continue;
		which = commands[i].command;
		takes = strstr(commands[i].options, word);
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		takes = takes || (forms[i]->command == which && strstr(forms[i]->options, word));
	return takes;
}

static int ask_help(struct options *options, const char *word, struct error *err)
{
	const struct command *command = find_command(word, err);

	options->operand = command ? command->word : NULL;
	return command ? 0 : -1;
}

static int parse_words(struct options *options, uint32_t given, int argc, char **argv,
		       struct error *err)
{
	char words[256];

	if (options->command == OPTIONS_VERSION)
		return 0;
	if (options->command == OPTIONS_HELP)
		return argc > optind ? ask_help(options, argv[optind], err) : 0;
	if (argc - optind < 1) {
		list_commands(words, sizeof(words));
		error_set(err, ERROR_USAGE, "a command is missing: %s; see muster --help", words);
		return -1;
	}
	const struct command *command = find_command(argv[optind], err);
	if (!command)
		return -1;
	options->command = command->command;
	if (options->command == OPTIONS_RUN && options->resume)
		command = &resume;
	if (options->command == OPTIONS_COLLECT && options->plan)
		command = &spools;
	if (options->command == OPTIONS_KEYGEN && options->signing)
		command = &sign;
	if (check_options(command, given, err) < 0)
		return -1;
	if (command->is_optional && argc - optind == 1)
		return 0;
	options->operands = &argv[optind + 1];
	options->operands_count = (uint32_t)(argc - optind - 1);
	if (argc - optind != 2 && !(command->is_many && argc - optind > 2)) {
		error_set(err, ERROR_USAGE, "'%s' takes one %s%s, got %d; see muster --help",
			  command->word, command->takes,
			  command->is_optional ? " or none"
			  : command->is_many   ? " or more"
					       : "",
			  argc - optind - 1);
		return -1;
	}
	options->operand = argv[optind + 1];
	return options->command == OPTIONS_HELP ? ask_help(options, options->operand, err) : 0;
}

int options_parse(struct options *options, int argc, char **argv, struct error *err)
{
	uint32_t given = 0;
	int option;

	*options = (struct options){.command = OPTIONS_RUN};
	opterr = 0;
	while ((option = getopt_whole(argc, argv, ":o:s:qhV", known)) != -1) {
		for (size_t i = 0; known[i].name; i++)
			given |= known[i].val == option ? UINT32_C(1) << i : 0;
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
		case OPTION_RESUME:
			options->resume = true;
			break;
		case OPTION_SIGN:
			options->signing = true;
			break;
		case OPTION_SIGN_KEY:
			options->sign_key = optarg;
			break;
		case OPTION_DIR:
			options->directory = optarg;
			break;
		case OPTION_PLAN:
			options->plan = optarg;
			break;
		case OPTION_KEY:
			options->key = optarg;
			break;
		case OPTION_STRICT:
			options->strict = true;
			break;
		case OPTION_BASELINE:
			options->baseline = optarg;
			break;
		case OPTION_AS:
			options->as = optarg;
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
		default:
			getopt_error(err, "muster", option, argv, known);
			return -1;
		}
	}
	return parse_words(options, given, argc, argv, err);
}

void options_release(struct options *options)
{
	free(options->settings);
}
