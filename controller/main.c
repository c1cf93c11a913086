/* main.c - muster: the controller's commands. */
#include <stdio.h>

#include "common/file.h"
#include "common/log.h"
#include "common/outlet.h"
#include "common/product.h"
#include "controller/check_fleet.h"
#include "controller/inspect.h"
#include "controller/judge.h"
#include "controller/keygen.h"
#include "controller/options.h"
#include "controller/plan.h"
#include "controller/plan_memory.h"
#include "controller/plan_warn.h"
#include "controller/recover.h"
#include "controller/report/explain.h"
#include "controller/retell.h"
#include "controller/run.h"
#include "controller/sign.h"
#include "controller/verify.h"
#include "proto/version.h"

enum { EXIT_USAGE = 2, EXIT_SET_UP = 6 };

/* Without asking a host; what needs their memory is said by --fleet and by run. */
static int check_plan(const struct options *options, const struct plan *plan)
{
	uint32_t warnings = plan_warn(plan, NULL, 0);

	if (warnings && options->strict) {
		log_error("%s: %u warning%s, and --strict was asked for", options->operand,
			  warnings, warnings == 1 ? "" : "s");
		return EXIT_USAGE;
	}
	printf("%s: %s: %u phase%s on %u target%s\n", options->operand, warnings ? "legal" : "fine",
	       plan->phases_count, plan->phases_count == 1 ? "" : "s", plan->targets_count,
	       plan->targets_count == 1 ? "" : "s");
	plan_memory_print(plan);
	return 0;
}

static int with_plan(const struct options *options)
{
	struct plan plan = {0};
	struct yaml_errors errors = {.file = options->operand};
	int code = EXIT_USAGE;

	if (!plan_read(&plan, options->operand, options->settings, options->settings_count,
		       &errors)) {
		yaml_errors_print(&errors);
	} else {
		if (options->command == OPTIONS_RUN)
			code = run_execute(options, &plan);
		else if (options->command == OPTIONS_FLEET)
			code = inspect_execute(options, &plan);
		else if (options->fleet)
			code = check_fleet_execute(options, &plan);
		else
			code = check_plan(options, &plan);
		plan_release(&plan);
	}
	yaml_errors_release(&errors);
	return code;
}

static int make_signing_key(const char *name)
{
	struct error err;

	if (sign_keygen(name, &err) < 0) {
		log_error("%s", err.text);
		return err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_SET_UP;
	}
	printf("'%s.sign.key' signs: `muster run --sign-key`; keep it to yourself\n"
	       "'%s.sign.pub' checks: `muster verify --key`; give it to whoever has to\n",
	       name, name);
	return 0;
}

static int make_keys(const struct options *options)
{
	int code = 0;

	if (!options->signing)
		return keygen_execute(options);
	for (uint32_t i = 0; i < options->operands_count && code == 0; i++)
		code = make_signing_key(options->operands[i]);
	return code;
}

static int execute(const struct options *options)
{
	if (options->verbose)
		log_init("muster", LOG_LEVEL_DEBUG);
	if (options->command == OPTIONS_VERIFY)
		return verify_execute(options->operand, options->key);
	if (options->command == OPTIONS_REPORT)
		return retell_execute(options->operand, options->as);
	if (options->command == OPTIONS_JUDGE)
		return judge_execute(options);
	if (options->command == OPTIONS_KEYGEN)
		return make_keys(options);
	if (options->command == OPTIONS_COLLECT)
		return recover_collect(options);
	if (options->command == OPTIONS_RUN && options->resume)
		return recover_resume(options);
	return with_plan(options);
}

int main(int argc, char **argv)
{
	struct options options;
	struct error err = {0};
	int code = 0;

	file_hold_standard();
	log_init("muster", LOG_LEVEL_INFO);
	outlet_start();
	if (options_parse(&options, argc, argv, &err) < 0) {
		log_error("%s", err.text);
		code = EXIT_USAGE;
	} else if (options.command == OPTIONS_HELP) {
		options_help(stdout, options.operand);
	} else if (options.command == OPTIONS_VERSION) {
		printf("muster %s (protocol %s)\n", version_text(), version_fingerprint());
	} else if (options.command == OPTIONS_EXPLAIN) {
		if (explain(options.operand, stdout, &err) < 0) {
			log_error("%s", err.text);
			code = EXIT_USAGE;
		}
	} else {
		code = execute(&options);
	}
	options_release(&options);
	if (product_flush(&err) < 0) {
		log_error("%s", err.text);
		code = EXIT_SET_UP;
	}
	outlet_end();
	return code;
}
