#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/catalogue.h"
#include "controller/analysis/findings.h"
#include "controller/report/explain.h"
#include "tests/unit/sample_result.h"

/* Texts in capitals that are no findings. */
static const char *const others[] = {"NOT_SET_UP", "GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS",
				     "MUSTER_SIGN_KEY", NULL};

/* The codes in the sources of the controller, one for each place. */
static char **codes;
static uint32_t codes_count;

static bool is_other(const char *text)
{
	for (size_t i = 0; others[i]; i++)
		if (strcmp(others[i], text) == 0)
			return true;
	return false;
}

/* The text from `quote` on where it is capitals, digits and '_' between quotes, else NULL. */
static char *capitals_at(const char *quote)
{
	size_t length = strspn(quote + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	if (length < 4 || quote[1 + length] != '"' || !isupper((unsigned char)quote[1]))
		return NULL;
	char *text = mem_format("%.*s", (int)length, quote + 1);
	if (!is_other(text))
		return text;
	free(text);
	return NULL;
}

static void add_code(char *code)
{
	codes = mem_resize(codes, codes_count + 1, sizeof(*codes));
	codes[codes_count++] = code;
}

/* In an agent a code is what error_code is given. */
static void take_codes_of_agent(const char *source)
{
	for (const char *at = source; (at = strstr(at, "error_code(")); at++) {
		const char *end = strstr(at, ");");
		for (const char *quote = at; (quote = strchr(quote, '"')) && quote < end; quote++) {
			char *code = capitals_at(quote);
			if (code)
				add_code(code);
		}
	}
}

/* A name of one word may be anything; with '_' in it it is a code. */
static void take_codes(const char *source)
{
	for (const char *at = source; (at = strchr(at, '"')); at++) {
		char *code = capitals_at(at);
		if (!code)
			continue;
		if (!strchr(code, '_') && !catalogue_find(code)) {
			free(code);
			continue;
		}
		add_code(code);
	}
}

static int look_into(const char *path, const struct stat *st, int type, struct FTW *at)
{
	const char *name = path + at->base;
	size_t length = strlen(name);

	if (type != FTW_F || length < 2 || strcmp(name + length - 2, ".c") != 0 ||
	    strncmp(name, "catalogue", 9) == 0)
		return 0;
	char *text = mem_new((size_t)st->st_size + 1, 1);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(text, 1, (size_t)st->st_size, file), st->st_size);
	fclose(file);
	if (strstr(path, "/agent/"))
		take_codes_of_agent(text);
	else
		take_codes(text);
	free(text);
	return 0;
}

static int read_sources(void **state)
{
	(void)state;
	return nftw(TEST_DATA "/../controller", look_into, 8, FTW_PHYS) ||
	       nftw(TEST_DATA "/../agent", look_into, 8, FTW_PHYS);
}

static int forget_sources(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < codes_count; i++)
		free(codes[i]);
	free(codes);
	return 0;
}

static void each_code_that_is_raised_has_a_row(void **state)
{
	(void)state;
	assert_true(codes_count > 30);
	for (uint32_t i = 0; i < codes_count; i++)
		if (!catalogue_find(codes[i]))
			fail_msg("'%s' is in the sources and not in the catalogue", codes[i]);
}

static bool is_raised(const char *code)
{
	for (uint32_t i = 0; i < codes_count; i++)
		if (strcmp(codes[i], code) == 0)
			return true;
	return false;
}

static void each_row_is_raised_somewhere(void **state)
{
	(void)state;
	for (size_t p = 0; catalogue_parts[p]; p++)
		for (uint32_t r = 0; r < catalogue_parts[p]->count; r++)
			if (!is_raised(catalogue_parts[p]->rows[r].code))
				fail_msg("nothing raises '%s'", catalogue_parts[p]->rows[r].code);
}

static void each_row_is_whole_and_there_once(void **state)
{
	(void)state;
	for (size_t p = 0; catalogue_parts[p]; p++)
		for (uint32_t r = 0; r < catalogue_parts[p]->count; r++) {
			const struct catalogue_row *row = &catalogue_parts[p]->rows[r];
			bool whole = row->levels && row->meaning && row->rule && row->source &&
				     strchr("RIWN", catalogue_level(row)[0]);
			if (!whole || catalogue_find(row->code) != row)
				fail_msg("'%s' lacks something, or is there twice", row->code);
		}
}

static void a_finding_has_level_and_advice_of_its_row(void **state)
{
	struct sample sample = {0};

	(void)state;
	findings_add(&sample.result, "OUTLIER", NULL, NULL, NULL, NULL, NULL, "it is so");
	findings_add(&sample.result, "OUTLIER", "NOTE", NULL, NULL, NULL, "do this", "it is so");
	findings_add(&sample.result, "OUTLIER", NULL, NULL, NULL, NULL, "", "it is so");
	const struct result_finding *f = sample.result.findings;
	assert_string_equal(f[0].level, "WARN");
	assert_string_equal(f[0].advice, catalogue_find("OUTLIER")->advice);
	assert_string_equal(f[1].level, "NOTE");
	assert_string_equal(f[1].advice, "do this");
	assert_null(f[2].advice);
	sample_release(&sample);
}

static void explain_knows_each_code_and_guesses_at_others(void **state)
{
	static const struct {
		const char *code, *want; /* in the error; NULL: it is explained */
	} cases[] = {
		{"OUTLIER", NULL},
		{"outlier", NULL},
		{"SUM_OF_AVERAGES_GAP", NULL},
		{"OUTLYER", "did you mean 'OUTLIER'?"},
		{"CACHE", "did you mean 'CACHE_SERVED'?"},
		{"", "lists them"},
		{"%s%n", "lists them"},
		{"XYZZY", "lists them"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {0};
		char text[4096] = "";
		FILE *file = fmemopen(text, sizeof(text), "w");
		int status = explain(cases[i].code, file, &err);
		fclose(file);
		if (cases[i].want ? status == 0 || !strstr(err.text, cases[i].want)
				  : status < 0 || !strstr(text, "rule:"))
			fail_msg("'%s': %d, '%s' '%s'", cases[i].code, status, err.text, text);
	}
}

static void the_list_and_the_page_have_all_codes(void **state)
{
	char *text = NULL;
	size_t size = 0;

	(void)state;
	for (int page = 0; page < 2; page++) {
		FILE *file = open_memstream(&text, &size);
		if (page)
			explain_page(file);
		else
			assert_int_equal(explain(NULL, file, NULL), 0);
		fclose(file);
		for (size_t p = 0; catalogue_parts[p]; p++)
			for (uint32_t r = 0; r < catalogue_parts[p]->count; r++)
				assert_non_null(strstr(text, catalogue_parts[p]->rows[r].code));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_code_that_is_raised_has_a_row),
		cmocka_unit_test(each_row_is_raised_somewhere),
		cmocka_unit_test(each_row_is_whole_and_there_once),
		cmocka_unit_test(a_finding_has_level_and_advice_of_its_row),
		cmocka_unit_test(explain_knows_each_code_and_guesses_at_others),
		cmocka_unit_test(the_list_and_the_page_have_all_codes),
	};

	return cmocka_run_group_tests(tests, read_sources, forget_sources);
}
