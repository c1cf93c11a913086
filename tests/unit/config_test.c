/* agent.yaml: what is absent is not allowed, and what is wrong is named with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/config.h"

static char path[] = "/tmp/muster-config-XXXXXX";

static void write_config(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static bool read_config(const char *text, struct agent_config *config, struct yaml_errors *errors)
{
	*errors = (struct yaml_errors){.file = "agent.yaml"};
	write_config(text);
	return agent_config_read(config, path, errors);
}

static void release(struct agent_config *config, struct yaml_errors *errors)
{
	record_release(&agent_config_table, config);
	yaml_errors_release(errors);
}

static void what_is_not_written_has_its_fallback(void **state)
{
	struct agent_config config;
	struct yaml_errors errors;

	(void)state;
	assert_true(read_config("allow_paths: []\n", &config, &errors));
	assert_string_equal(config.listen, "tcp://127.0.0.1:7411");
	assert_int_equal(config.memory, UINT64_C(4) << 30);
	assert_string_equal(config.spool, "/var/lib/muster");
	assert_null(config.scratch);
	assert_int_equal(config.allow_paths_count, 0);
	assert_int_equal(config.allow_devices_count, 0);
	release(&config, &errors);
}

static void what_is_written_is_read(void **state)
{
	struct agent_config config;
	struct yaml_errors errors;

	(void)state;
	assert_true(read_config("listen: tcp://[::1]:*\n"
				"allow_paths: [/test, \"/scratch dir\"]\n"
				"allow_devices: [/dev/disk/by-id/scsi-0001:x]\n"
				"spool: /var/spool/m\n"
				"scratch: /scratch\n"
				"memory: 64MiB\n",
				&config, &errors));
	assert_string_equal(config.listen, "tcp://[::1]:*");
	assert_int_equal(config.allow_paths_count, 2);
	assert_string_equal(config.allow_paths[1].name, "/scratch dir");
	assert_int_equal(config.allow_devices_count, 1);
	assert_string_equal(config.allow_devices[0].name, "/dev/disk/by-id/scsi-0001:x");
	assert_string_equal(config.scratch, "/scratch");
	assert_int_equal(config.memory, 64 << 20);
	release(&config, &errors);
}

static void a_file_that_others_may_change_is_not_believed(void **state)
{
	static const struct {
		mode_t mode;
		const char *fault; /* NULL: it is read */
	} rows[] = {{0600, NULL},
		    {0644, NULL},
		    {0664, "others may change it (mode 0664); type: chmod go-w '/tmp/"},
		    {0602, "others may change it (mode 0602); type: chmod go-w '/tmp/"}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct agent_config config;
		struct yaml_errors errors;
		write_config("allow_paths: []\n");
		assert_int_equal(chmod(path, rows[i].mode), 0);
		errors = (struct yaml_errors){.file = "agent.yaml"};
		assert_int_equal(agent_config_read(&config, path, &errors), !rows[i].fault);
		assert_int_equal(errors.count, rows[i].fault ? 1 : 0);
		if (rows[i].fault && !strstr(errors.lines[0], rows[i].fault))
			fail_msg("%s", errors.lines[0]);
		release(&config, &errors);
	}
	assert_int_equal(chmod(path, 0600), 0);
}

static void another_users_file_is_not_believed(void **state)
{
	struct agent_config config;
	struct yaml_errors errors = {.file = "agent.yaml"};

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: only root can give a file away\n");
		skip();
	}
	write_config("allow_paths: []\n");
	assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
	assert_false(agent_config_read(&config, path, &errors));
	assert_non_null(strstr(errors.lines[0], "type: chown 0 '/tmp/"));
	release(&config, &errors);
	assert_int_equal(chown(path, 0, (gid_t)-1), 0);
}

static void every_error_has_its_place(void **state)
{
	static const struct {
		const char *text, *place, *want;
	} rows[] = {
		{"listen: ipc://x\n", "agent.yaml:1:9:", "is no endpoint"},
		{"listen: tcp://\n", "agent.yaml:1:9:", "is no endpoint"},
		{"listen: tcp://:1\n", "agent.yaml:1:9:", "is no endpoint"},
		{"listen: \"tcp://a:\"\n", "agent.yaml:1:9:", "is no endpoint"},
		{"listen: tcp://a:70000\n", "agent.yaml:1:9:", "is no endpoint"},
		{"listen: tcp://a:1x\n", "agent.yaml:1:9:", "is no endpoint"},
		{"listen: tcp://a:0\n", "agent.yaml:1:9:", "or * for a free one"},
		{"listen: tcp://::1:7411\n", "agent.yaml:1:9:", "is no endpoint"},
		{"spool: var\n", "agent.yaml:1:8:", "spool: 'var' is not an absolute path"},
		{"memory: 1GiB\nscratch: here\n", "agent.yaml:2:10:", "scratch: 'here'"},
		{"allow_paths:\n  - /a\n  - b\n", "agent.yaml:3:5:", "allow_paths[1]: 'b'"},
		{"allow_devices: [/dev/a, sdb]\n", "agent.yaml:1:25:", "allow_devices[1]: 'sdb'"},
		{"allow_paths: [\"/a\\nb\"]\n", "agent.yaml:1:15:", "line end"},
		{"key: agent\n", "agent.yaml:1:6:", "key: 'agent' lets nobody in"},
		{"controllers: [ops]\n", "agent.yaml:1:15:", "needs 'key' beside it"},
		{"memory: 1\n", "agent.yaml:1:9:", "memory"},
		{"allow_path: [/a]\n", "agent.yaml:1:1:", "allow_paths"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct agent_config config;
		struct yaml_errors errors;
		if (read_config(rows[i].text, &config, &errors))
			fail_msg("was accepted: %s", rows[i].text);
		if (errors.count != 1 ||
		    strncmp(errors.lines[0], rows[i].place, strlen(rows[i].place)) != 0 ||
		    !strstr(errors.lines[0], rows[i].want))
			fail_msg("%s: %u errors: %s", rows[i].text, errors.count,
				 errors.count ? errors.lines[0] : "");
		release(&config, &errors);
	}
}

static void all_errors_are_told(void **state)
{
	struct agent_config config;
	struct yaml_errors errors;

	(void)state;
	assert_false(read_config("spool: a\nscratch: b\nallow_paths: [c, d]\n", &config, &errors));
	assert_int_equal(errors.count, 4);
	release(&config, &errors);
}

static void a_file_that_is_not_there_is_one_error(void **state)
{
	struct agent_config config;
	struct yaml_errors errors = {.file = "/no/such.yaml"};

	(void)state;
	assert_false(agent_config_read(&config, "/no/such.yaml", &errors));
	assert_int_equal(errors.count, 1);
	release(&config, &errors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_written_has_its_fallback),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_file_that_others_may_change_is_not_believed),
		cmocka_unit_test(another_users_file_is_not_believed),
		cmocka_unit_test(every_error_has_its_place),
		cmocka_unit_test(all_errors_are_told),
		cmocka_unit_test(a_file_that_is_not_there_is_one_error),
	};

	int fd = mkstemp(path);
	if (fd < 0) {
		perror(path);
		return 1;
	}
	close(fd);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
