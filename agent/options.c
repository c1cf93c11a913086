#include "agent/options.h"

#include <getopt.h>
#include <stddef.h>

#include "common/getopt_error.h"
#include "proto/endpoint.h"

const char options_usage[] =
	"usage: muster-agent [--config FILE] [--listen ENDPOINT] [--insecure] [--verbose]\n"
	"                    [--child] [--keys-on-stdin]\n"
	"\n"
	"Drives this host's storage for a controller (muster run). What a controller may touch is\n"
	"listed in FILE; nothing listed, nothing allowed.\n"
	"\n"
	"  --config FILE      agent.yaml (default /etc/muster/agent.yaml)\n"
	"  --listen ENDPOINT  tcp://ADDRESS:PORT, before the file's `listen`; port * takes a free "
	"one\n"
	"  --insecure         listen beyond the loopback without keys: nothing is encrypted or\n"
	"                     authenticated, whoever reaches the port may use what FILE allows\n"
	"  --child            end, and clean up, when standard input closes\n"
	"  --keys-on-stdin    the first line on standard input is keys for once, as muster run "
	"gives\n"
	"                     them to agents that it starts itself\n"
	"  --verbose          say more on stderr\n"
	"  --help, --version\n"
	"\n"
	"exit:\n"
	"  0  stopped by a signal, or with --child by the end of standard input; nothing is left\n"
	"  2  usage, or FILE is wrong: each error with its line and column; or a key file or "
	"`user`\n"
	"     that it names is not there, or not fit for that\n"
	"  3  a thread hangs in the kernel and could only be left\n"
	"  6  cannot listen, take keys from standard input, become `user` or use its spool\n";

int options_parse(struct options *options, int argc, char **argv, struct error *err)
{
	static const struct option known[] = {
		{"config", required_argument, NULL, 'c'},
		{"listen", required_argument, NULL, 'l'},
		{"insecure", no_argument, NULL, 'i'},
		{"child", no_argument, NULL, 'p'},
		{"keys-on-stdin", no_argument, NULL, 'k'},
		{"verbose", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	int option;

	*options = (struct options){.config = "/etc/muster/agent.yaml"};
	opterr = 0;
	while ((option = getopt_whole(argc, argv, ":c:l:hV", known)) != -1) {
		switch (option) {
		case 'c':
			options->config = optarg;
			break;
		case 'l':
			options->listen = optarg;
			break;
		case 'i':
			options->insecure = true;
			break;
		case 'p':
			options->child = true;
			break;
		case 'k':
			options->keys_on_stdin = true;
			break;
		case 'v':
			options->verbose = true;
			break;
		case 'h':
			options->help = true;
			break;
		case 'V':
			options->version = true;
			break;
		default:
			getopt_error(err, "muster-agent", option, argv, known);
			return -1;
		}
	}
	if (optind < argc) {
		error_set(err, ERROR_USAGE, "'%s' is not expected; see muster-agent --help",
			  argv[optind]);
		return -1;
	}
	if (options->listen && !endpoint_can_listen(options->listen)) {
		error_set(err, ERROR_USAGE, "--listen '%s' " ENDPOINT_LISTEN_WANTED,
			  options->listen);
		return -1;
	}
	return 0;
}
