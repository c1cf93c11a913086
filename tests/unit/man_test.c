#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/man.h"
#include "tests/unit/record_sample.h"

/* What was written since, the caller's to free. */
static char *take(FILE *file)
{
	char *text = mem_new(16384, 1);

	rewind(file);
	size_t size = fread(text, 1, 16383, file);
	assert_true(size < 16383);
	fclose(file);
	return text;
}

static char *page_of(const char *text)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	man_text(file, text);
	return take(file);
}

static void prose_becomes_lines_that_roff_takes_for_text(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"one two", "one two\n"},
		{"One. Two (so.) Three", "One.\nTwo (so.)\nThree\n"},
		{"1.5s and ... and x.y go on", "1.5s and ... and x.y go on\n"},
		{".Dd is text, 'so too", "\\&.Dd is text, \\(aqso too\n"},
		{"a. .b", "a.\n\\&.b\n"},
		{"back\\slash ~ ^", "back\\eslash \\(ti \\(ha\n"},
		{"with `two words-x` so", "with \\fBtwo words\\-x\\fR so\n"},
		{"a well-known --flag", "a well-known \\-\\-flag\n"},
		{"1, \xe2\x80\xa6 \xc2\xb5s", "1, \\[u2026] \\[u00B5]s\n"},
		{"a\n\nb\n", "a\n.Pp\nb\n"},
		{"so:\n\n    x: `1`\n    .y\n\nb",
		 "so:\n.Bd -literal -offset indent\nx: `1`\n\\&.y\n.Ed\n.Pp\nb\n"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *page = page_of(cases[i].text);
		if (strcmp(page, cases[i].want) != 0)
			fail_msg("'%s': '%s', wanted '%s'", cases[i].text, page, cases[i].want);
		free(page);
	}
}

static void no_line_of_prose_is_over_80_bytes(void **state)
{
	char text[4096] = "";

	(void)state;
	for (int i = 0; i < 200; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%.*s ", i % 13 + 1,
			 "it's-~-a-word");
	char *page = page_of(text);
	for (const char *line = page; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	free(page);
}

static const char usage[] = "usage: tool make PLAN [--set KEY=VALUE]... [--key NAME | --insecure]\n"
			    "                 [--quiet]\n"
			    "       tool tell NAME... [CODE]\n"
			    "\n"
			    "Does what\n"
			    "it can.\n"
			    "\n"
			    "  make         make\n"
			    "               it\n"
			    "\n"
			    "  --key NAME   a `key`\n"
			    "  --help, --version\n"
			    "\n"
			    "exit:\n"
			    "  0  fine\n"
			    "  2  not fine\n";

static void help_becomes_sections(void **state)
{
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	man_usage(file, "tool", usage);
	man_exits(file, usage);
	char *page = take(file);
	assert_string_equal(page, ".Sh SYNOPSIS\n"
				  ".Nm tool\n"
				  ".Cm make\n"
				  ".Ar PLAN\n"
				  ".Op Fl \\-set Ar KEY=VALUE ...\n"
				  ".Op Fl \\-key Ar NAME | Fl \\-insecure\n"
				  ".Op Fl \\-quiet\n"
				  ".Nm tool\n"
				  ".Cm tell\n"
				  ".Ar NAME ...\n"
				  ".Op Ar CODE\n"
				  ".Sh DESCRIPTION\n"
				  "Does what it can.\n"
				  ".Sh COMMANDS\n"
				  ".Bl -tag -width Ds\n"
				  ".It Cm make\n"
				  "make it\n"
				  ".El\n"
				  ".Sh OPTIONS\n"
				  ".Bl -tag -width Ds\n"
				  ".It Fl \\-key Ar NAME\n"
				  "a \\fBkey\\fR\n"
				  ".It Fl \\-help , Fl \\-version\n"
				  ".El\n"
				  ".Sh EXIT STATUS\n"
				  ".Bl -tag -width Ds\n"
				  ".It Cm 0\n"
				  "fine\n"
				  ".It Cm 2\n"
				  "not fine\n"
				  ".El\n");
	free(page);
}

static void each_key_of_a_table_is_told_with_what_it_takes(void **state)
{
	static const char *const parts[] = {
		(".Ss sample\nEvery kind.\n.Bl -tag -width Ds\n.It Cm name\nits name.\n"
		 "Takes text; required.\n"),
		".It Cm size\na|b.\nTakes bytes (64KiB), 512 to 1GiB; \\fB128KiB\\fR unless set.\n",
		".It Cm names\nnames.\nTakes a list: [a, b]; \\fB[one, two]\\fR unless set.\n",
		".El\n.Ss inner\n",
		".El\n.Ss part\n",
	};
	const struct record_table *const tables[] = {&sample_table, &sample_table};
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	man_tables(file, tables, 2);
	char *page = take(file);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strstr(page, parts[i]))
			fail_msg("no '%s' in\n%s", parts[i], page);
	assert_null(strstr(page, ".It Cm total\n")); /* computed */
	assert_null(strstr(strstr(page, ".Ss sample\n") + 1, ".Ss sample\n"));
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prose_becomes_lines_that_roff_takes_for_text),
		cmocka_unit_test(no_line_of_prose_is_over_80_bytes),
		cmocka_unit_test(help_becomes_sections),
		cmocka_unit_test(each_key_of_a_table_is_told_with_what_it_takes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
