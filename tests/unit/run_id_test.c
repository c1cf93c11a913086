/* What a run may be called, and the secret that shows whose it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "proto/run_id.h"

static void only_plain_names_are_runs(void **state)
{
	static const struct {
		const char *name;
		bool want;
	} rows[] = {
		{"20261130-191502-3fa9", true},
		{"a_b.c", true},
		{"", false},
		{".", false},
		{"..", false},
		{"../x", false},
		{"a/b", false},
		{".hidden", false},
		{"a b", false},
		{"a\nb", false},
		{"\xc3\xa4", false},
		{"123456789012345678901234567890123456789012345678901234567890123", true},
		{"1234567890123456789012345678901234567890123456789012345678901234", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("'%s'\n", rows[i].name);
		assert_int_equal(run_id_is_name(rows[i].name), rows[i].want);
	}
}

static void runs_are_given_ids_of_one_form(void **state)
{
	static const char *const others[] = {
		"",
		"nonsense",
		"20261130-191502-3fa",
		"20261130-191502-3fa99",
		"20261130-191502-3FA9",
		"2026113a-191502-3fa9",
		"20261130 191502 3fa9",
		"muster-runs/20261130-191502-3fa9",
	};

	(void)state;
	assert_true(run_id_is_given("20261130-191502-3fa9"));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (run_id_is_given(others[i]))
			fail_msg("'%s' passes", others[i]);
}

static void a_secret_is_64_digits_and_another_each_time(void **state)
{
	char one[RUN_ID_OWNER_SIZE], two[RUN_ID_OWNER_SIZE];
	struct error err;

	(void)state;
	assert_int_equal(run_id_make_owner(one, &err), 0);
	assert_int_equal(run_id_make_owner(two, &err), 0);
	assert_true(run_id_is_owner(one) && run_id_is_owner(two));
	assert_string_not_equal(one, two);
	one[RUN_ID_OWNER_SIZE - 2] = 0;
	assert_false(run_id_is_owner(one));
	two[0] = 'F';
	assert_false(run_id_is_owner(two));
	assert_false(run_id_is_owner(""));
}

/* Worked out with `openssl mac`, from outside. */
static void a_controller_s_key_tells_the_secret_again(void **state)
{
	unsigned char key[KEY_SIZE];
	char owner[RUN_ID_OWNER_SIZE], other[RUN_ID_OWNER_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (unsigned char)i;
	run_id_derive_owner(key, "20261130-191502-3fa9", owner);
	assert_string_equal(owner,
			    "af37585367327ba0f187dccc2b72df6ca44ac1a19d9730636140ae3b024ccdaf");
	run_id_derive_owner(key, "20261130-191502-3faa", other);
	assert_string_not_equal(owner, other);
	key[0] = 1;
	run_id_derive_owner(key, "20261130-191502-3fa9", other);
	assert_string_not_equal(owner, other);
	assert_true(run_id_is_owner(owner));
}

static void its_digest_is_sha_256(void **state)
{
	char digest[RUN_ID_OWNER_SIZE];

	(void)state;
	run_id_digest("0000000000000000000000000000000000000000000000000000000000000000", digest);
	assert_string_equal(digest,
			    "60e05bd1b195af2f94112fa7197a5c88289058840ce7c6df9693756bc6250f55");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_plain_names_are_runs),
		cmocka_unit_test(runs_are_given_ids_of_one_form),
		cmocka_unit_test(a_secret_is_64_digits_and_another_each_time),
		cmocka_unit_test(a_controller_s_key_tells_the_secret_again),
		cmocka_unit_test(its_digest_is_sha_256),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
