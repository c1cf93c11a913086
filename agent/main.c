/* main.c - muster-agent: reads its configuration, listens, serves. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/allowed_look.h"
#include "agent/config.h"
#include "agent/keys.h"
#include "agent/made_files.h"
#include "agent/options.h"
#include "agent/platform/platform.h"
#include "agent/session.h"
#include "common/file.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/outlet.h"
#include "common/product.h"
#include "proto/channel.h"
#include "proto/endpoint.h"
#include "proto/version.h"

enum { EXIT_USAGE = 2, EXIT_BROKEN = 3, EXIT_SET_UP = 6 };

/* Lock-free, so that a signal may set it. */
static atomic_bool stop;

static void on_signal(int number)
{
	(void)number;
	atomic_store(&stop, true);
}

static void take_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

static int print_errors(struct yaml_errors *errors)
{
	outlet_start();
	yaml_errors_print(errors);
	outlet_end();
	yaml_errors_release(errors);
	return EXIT_USAGE;
}

/* The address with the port that was really taken, for whoever started the agent. */
static void announce(const char *endpoint, const struct channel *channel)
{
	int length = (int)(strrchr(endpoint, ':') - endpoint);

	printf("listening %.*s:%u\n", length, endpoint, channel_port(channel));
	fflush(stdout);
}

/* On the same port as the conversation. */
static struct clock_responder *open_clock(const char *endpoint, const struct channel *channel)
{
	struct error err;
	char *real = mem_format("%.*s:%u", (int)(strrchr(endpoint, ':') - endpoint), endpoint,
				channel_port(channel));
	struct clock_responder *responder = clock_responder_new(real, &err);

	free(real);
	if (!responder)
		log_warning("%s: clocks are exchanged over ZeroMQ, which is less exact", err.text);
	return responder;
}

static struct channel *open_channel(const struct keys *keys, const char *endpoint,
				    struct error *err)
{
	if (!keys->secured)
		return channel_bind(endpoint, err);
	return channel_bind_secure(endpoint, &keys->own,
				   (const unsigned char(*)[KEY_SIZE])keys->allowed, keys->count,
				   err);
}

/* A name that was mistyped makes a spool where nobody looks for one. */
static struct made_files *open_files(const struct agent_config *config, struct error *err)
{
	bool is_absent = access(config->spool, F_OK) < 0 && errno == ENOENT;
	struct made_files *files = made_files_open(config->spool, err);

	if (files && is_absent)
		log_info("made the spool directory '%s'", config->spool);
	if (files && made_files_warning(files))
		log_warning("%s", made_files_warning(files));
	return files;
}

static int serve(const struct options *options, const struct agent_config *config,
		 const struct keys *keys, const char *endpoint, struct error *err)
{
	/* Behind `user`, which wants no thread to be there. */
	outlet_start();
	allowed_look(config);
	struct made_files *files = open_files(config, err);
	if (!files)
		return -1;
	struct recorder *recorder =
		recorder_new(config->spool, config->spool_limit, config->spool_keep, err);
	if (!recorder) {
		made_files_close(files);
		return -1;
	}
	struct channel *channel = open_channel(keys, endpoint, err);
	if (!channel) {
		recorder_free(recorder);
		made_files_close(files);
		return -1;
	}
	announce(endpoint, channel);
	struct clock_responder *responder = open_clock(endpoint, channel);
	struct disruption_watch *watch = disruption_watch_new(err);
	if (!watch)
		log_warning("%s: disruptions of the clock go unseen", err->text);
	struct session_setup setup = {.config = config,
				      .files = files,
				      .recorder = recorder,
				      .channel = channel,
				      .responder = responder,
				      .watch = watch,
				      .secured = keys->secured,
				      .insecure = !keys->secured && !endpoint_is_loopback(endpoint),
				      .parent_fd = options->child ? STDIN_FILENO : -1,
				      .stop = &stop};
	int result = session_serve(&setup, err);
	recorder_free(recorder);
	if (result < 0) {
		/* A thread hangs in the kernel: nothing can be joined, only left. */
		log_error("%s", err->text);
		outlet_end();
		_exit(EXIT_BROKEN);
	}
	disruption_watch_free(watch);
	clock_responder_free(responder);
	channel_free(channel, 500);
	made_files_close(files);
	return result;
}

/* What the configuration names has to be there. */
static int name_config(const struct options *options, struct error *err)
{
	error_prefix(err, "%s", options->config);
	return -1;
}

static int read_keys(struct keys *keys, const struct options *options,
		     const struct agent_config *config, const char *endpoint, struct error *err)
{
	if (options->keys_on_stdin)
		return keys_receive(keys, STDIN_FILENO, err);
	if (config->key && options->insecure) {
		error_set(err, ERROR_USAGE,
			  "--insecure was typed, and '%s' names a key: leave one of them away",
			  options->config);
		return -1;
	}
	if (!config->key && !options->insecure && !endpoint_is_loopback(endpoint)) {
		error_set(err, ERROR_USAGE,
			  "'%s' is beyond the loopback, and '%s' names no keys: make this agent's "
			  "with 'muster keygen NAME' and name it as 'key', list its controllers' "
			  ".key files under 'controllers'; or type --insecure, here and at the "
			  "controller, on a network you trust",
			  endpoint, options->config);
		return -1;
	}
	return keys_read(keys, config, err) < 0 ? name_config(options, err) : 0;
}

static int become_user(const struct options *options, const struct agent_config *config,
		       struct error *err)
{
	if (!config->user || platform_become_user(config->user, err) == 0)
		return 0;
	return name_config(options, err);
}

int main(int argc, char **argv)
{
	struct options options;
	struct agent_config config = {0};
	struct keys keys = {0};
	struct yaml_errors errors = {0};
	struct error err = {0};

	file_hold_standard();
	log_init("muster-agent", LOG_LEVEL_INFO);
	if (options_parse(&options, argc, argv, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_USAGE;
	}
	if (options.help || options.version) {
		if (options.help)
			fputs(options_usage, stdout);
		else
			printf("muster-agent %s (protocol %s)\n", version_text(),
			       version_fingerprint());
		if (product_flush(&err) == 0)
			return 0;
		log_error("%s", err.text);
		return EXIT_SET_UP;
	}
	/* Whoever started a child sees what it does in the report. */
	if (options.verbose || options.child)
		log_init("muster-agent", options.verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_WARNING);
	if (!agent_config_read(&config, options.config, &errors)) {
		record_release(&agent_config_table, &config);
		return print_errors(&errors);
	}
	const char *endpoint = options.listen ? options.listen : config.listen;
	int code = 0;
	take_signals();
	platform_raise_files();
	platform_forbid_cores();
	if (read_keys(&keys, &options, &config, endpoint, &err) < 0) {
		log_error("%s", err.text);
		code = err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_SET_UP;
	} else if (become_user(&options, &config, &err) < 0) {
		log_error("%s", err.text);
		code = err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_SET_UP;
	} else if (serve(&options, &config, &keys, endpoint, &err) < 0) {
		log_error("%s", err.text);
		code = EXIT_SET_UP;
	}
	keys_release(&keys);
	record_release(&agent_config_table, &config);
	yaml_errors_release(&errors);
	outlet_end();
	return code;
}
