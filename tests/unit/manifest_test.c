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

#include "common/memory.h"
#include "common/record_json.h"
#include "controller/manifest.h"
#include "controller/sign.h"

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

static char place[] = "/tmp/muster-manifest-XXXXXX";

static int enter(void **state)
{
	(void)state;
	return mkdtemp(place) && chdir(place) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	char *command = mem_format("rm -rf '%s'", place);
	int failed = chdir("/") < 0 || system(command) != 0;

	(void)state;
	free(command);
	return failed;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	chmod(name, mode);
}

static void keygen(const char *name)
{
	struct error err;

	if (sign_keygen(name, &err) < 0)
		fail_msg("%s", err.text);
}

static void make(struct manifest *manifest, const struct sign_key *key)
{
	struct error err;

	*manifest = (struct manifest){.schema = mem_text(MANIFEST_SCHEMA), .run = mem_text("r1")};
	write_file("abc", "abc", 0644);
	if (manifest_add(manifest, ".", "abc", &err) < 0)
		fail_msg("%s", err.text);
	manifest_sign(manifest, key);
}

/* FIPS 180-2, appendix B.1. */
static void a_file_has_the_digest_of_the_standard(void **state)
{
	struct manifest manifest;

	(void)state;
	make(&manifest, NULL);
	assert_string_equal(manifest.files[0].sha256,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(manifest.files[0].size_bytes, 3);
	assert_false(manifest_is_signed(&manifest));
	record_release(&manifest_table, &manifest);
}

/* RFC 8032, 7.1, TEST 2. */
static void a_signature_of_the_standard_is_good(void **state)
{
	static const char key[] =
		"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
	static const char signature[] =
		"92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
		"085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";

	(void)state;
	assert_true(sign_is_good(key, "\x72", 1, signature));
	assert_false(sign_is_good(key, "\x73", 1, signature));
	assert_false(sign_is_good(ZEROS, "\x72", 1, signature));
	assert_false(sign_is_good("3d", "\x72", 1, signature));
	assert_false(sign_is_good(key, "\x72", 1, "xy"));
	assert_false(sign_is_good(NULL, "\x72", 1, NULL));
}

static void changing_anything_that_was_signed_makes_it_bad(void **state)
{
	struct error err = {0};
	struct manifest manifest;

	(void)state;
	keygen("changing");
	struct sign_key *key = sign_key_read_secret("changing.sign.key", &err);
	assert_non_null(key);
	make(&manifest, key);
	assert_true(manifest_is_signed(&manifest) && manifest_is_good(&manifest));
	manifest.run[0] = 'x';
	assert_false(manifest_is_good(&manifest));
	manifest.run[0] = 'r';
	manifest.files[0].name[0] = 'x';
	assert_false(manifest_is_good(&manifest));
	manifest.files[0].name[0] = 'a';
	manifest.files[0].sha256[5] ^= 1;
	assert_false(manifest_is_good(&manifest));
	manifest.files[0].sha256[5] ^= 1;
	manifest.files[0].size_bytes++;
	assert_false(manifest_is_good(&manifest));
	manifest.files[0].size_bytes--;
	assert_true(manifest_is_good(&manifest));
	record_release(&manifest_table, &manifest);
	sign_key_free(key);
}

static void the_public_half_is_that_of_the_secret_one(void **state)
{
	char secret[SIGN_PUBLIC_TEXT], public_half[SIGN_PUBLIC_TEXT];
	struct error err = {0};
	struct stat st;

	(void)state;
	keygen("halves");
	assert_int_equal(stat("halves.sign.key", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	struct sign_key *one = sign_key_read_secret("halves.sign.key", &err);
	struct sign_key *other = sign_key_read_public("halves.sign.pub", &err);
	assert_true(one && other);
	sign_key_public(one, secret);
	sign_key_public(other, public_half);
	assert_string_equal(secret, public_half);
	sign_key_free(one);
	sign_key_free(other);
}

static void keys_are_never_written_over(void **state)
{
	struct error err = {0};
	struct stat st;

	(void)state;
	keygen("twice");
	assert_int_equal(sign_keygen("twice", &err), -1);
	assert_non_null(strstr(err.text, "File exists"));
	write_file("half.sign.pub", "", 0644);
	assert_int_equal(sign_keygen("half", &err), -1);
	assert_int_equal(stat("half.sign.key", &st), -1);
}

static void a_key_has_a_name(void **state)
{
	static const char *const names[] = {"", ".", ".hidden", "-q", "a b", "./", "./.hidden"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct error err = {0};
		assert_int_equal(sign_keygen(names[i], &err), -1);
		assert_int_equal(err.kind, ERROR_USAGE);
		assert_non_null(strstr(err.text, "is no name for a key"));
	}
	keygen("./ops-2.test_a");
}

static void a_key_that_is_none_or_open_to_others_is_refused(void **state)
{
	static const struct {
		const char *path, *words;
	} cases[] = {
		{"absent", "No such file"},
		{".", "no plain file"},
		{"loose.sign.key", "chmod 600"},
		{"loose.sign.pub", "not a secret Ed25519 key"},
		{"rubbish", "not a secret Ed25519 key"},
		{"empty", "not a secret Ed25519 key"},
	};
	struct error err;

	(void)state;
	keygen("loose");
	chmod("loose.sign.key", 0640);
	chmod("loose.sign.pub", 0600);
	write_file("rubbish", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
		   0600);
	write_file("empty", "", 0600);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_null(sign_key_read_secret(cases[i].path, &err));
		if (err.kind != ERROR_USAGE || !strstr(err.text, cases[i].words))
			fail_msg("%s: %s", cases[i].path, err.text);
	}
	chmod("loose.sign.key", 0600);
	assert_null(sign_key_read_public("loose.sign.key", &err));
	assert_non_null(strstr(err.text, "not a public Ed25519 key"));
}

static void a_secret_of_somebody_else_is_not_used(void **state)
{
	struct error err = {0};

	(void)state;
	if (geteuid() != 0)
		skip();
	keygen("owned");
	assert_int_equal(chown("owned.sign.key", 12345, (gid_t)-1), 0);
	assert_null(sign_key_read_secret("owned.sign.key", &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.text, "belongs to user 12345"));
}

static void a_manifest_reads_back_as_it_was(void **state)
{
	struct error err = {0};
	struct manifest manifest, back;

	(void)state;
	keygen("back");
	struct sign_key *key = sign_key_read_secret("back.sign.key", &err);
	make(&manifest, key);
	char *text = record_json_format(&manifest_table, &manifest);
	if (manifest_parse(&back, text, strlen(text), &err) < 0)
		fail_msg("%s", err.text);
	assert_true(manifest_is_good(&back));
	assert_string_equal(back.files[0].name, "abc");
	free(text);
	record_release(&manifest_table, &manifest);
	record_release(&manifest_table, &back);
	sign_key_free(key);
}

#define FILE_OF(name) "{\"name\": \"" name "\", \"size_bytes\": 1, \"sha256\": \"" ZEROS "\"}"
#define MANIFEST_OF(files, rest)                                                                   \
	"{\"schema\": \"muster.manifest/1\", \"run\": \"r\", \"files\": [" files "], " rest "}"
#define UNSIGNED "\"public_key\": null, \"signature\": null"

static void what_is_no_manifest_is_refused_with_the_reason(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"", "not JSON: line 1"},
		{"{", "not JSON"},
		{"[]", "is not an object"},
		{"{\"schema\": \"muster.manifest/1\"}", "'run' is missing"},
		{"{\"schema\": \"x\", \"run\": \"r\", \"files\": [], " UNSIGNED "}",
		 "schema is 'x'"},
		{MANIFEST_OF("", UNSIGNED ", \"more\": 1"), "'more' is unknown"},
		{MANIFEST_OF(FILE_OF("../x"), UNSIGNED), "files[0].name"},
		{MANIFEST_OF(FILE_OF("a/b"), UNSIGNED), "files[0].name"},
		{MANIFEST_OF(FILE_OF(""), UNSIGNED), "files[0].name"},
		{MANIFEST_OF(FILE_OF("a\\nb"), UNSIGNED), "files[0].name"},
		{MANIFEST_OF(FILE_OF("MANIFEST.json"), UNSIGNED), "files[0].name"},
		{MANIFEST_OF(FILE_OF("a") ", " FILE_OF("a"), UNSIGNED), "'a' stands twice"},
		{MANIFEST_OF("{\"name\": \"a\", \"size_bytes\": 1, \"sha256\": \"00\"}", UNSIGNED),
		 "files[0].sha256"},
		{MANIFEST_OF("{\"name\": \"a\", \"size_bytes\": -1, \"sha256\": \"" ZEROS "\"}",
			     UNSIGNED),
		 "out of range"},
		{MANIFEST_OF("", "\"public_key\": \"" ZEROS "\", \"signature\": null"),
		 "only one is there"},
		{MANIFEST_OF("", "\"public_key\": \"ab\", \"signature\": \"cd\""),
		 "not hexadecimal"},
	};
	struct manifest manifest;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;
		assert_int_equal(manifest_parse(&manifest, text, strlen(text), &err), -1);
		if (err.kind != ERROR_USAGE || !strstr(err.text, cases[i].words))
			fail_msg("%s: %s", text, err.text);
		assert_null(manifest.files);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_has_the_digest_of_the_standard),
		cmocka_unit_test(a_signature_of_the_standard_is_good),
		cmocka_unit_test(changing_anything_that_was_signed_makes_it_bad),
		cmocka_unit_test(the_public_half_is_that_of_the_secret_one),
		cmocka_unit_test(keys_are_never_written_over),
		cmocka_unit_test(a_key_has_a_name),
		cmocka_unit_test(a_key_that_is_none_or_open_to_others_is_refused),
		cmocka_unit_test(a_secret_of_somebody_else_is_not_used),
		cmocka_unit_test(a_manifest_reads_back_as_it_was),
		cmocka_unit_test(what_is_no_manifest_is_refused_with_the_reason),
	};
	return cmocka_run_group_tests(tests, enter, leave);
}
