/* options_help.c - the part of the usage text that is about one command. */
#include "controller/options.h"

#include <string.h>

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

static size_t indent(const char *line)
{
	return strspn(line, " ");
}

/* The line and those beneath it that are further in. */
static const char *end_of(const char *line, size_t column)
{
	do
		line = next_line(line);
	while (*line && *line != '\n' && indent(line) > column);
	return line;
}

/* Whether `text` begins with the word, which ends there. */
static bool is_word(const char *text, const char *word)
{
	size_t size = strlen(word);

	return strncmp(text, word, size) == 0 && strchr(" ,\n", text[size]);
}

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const char head[] = "usage: ";

/* The next of a command's forms from `line` on, behind its indent, and where it ends; NULL: there
 * is no other. */
static const char *next_form(const char *line, const char *command, const char **end)
{
	const size_t column = strlen(head);

	for (; *line && *line != '\n'; line = *end) {
		*end = end_of(line, column);
		if (is_word(line + column + strlen("muster "), command))
			return line + column;
	}
	return NULL;
}

static void print_forms(FILE *file, const char *command)
{
	const char *before = head, *end, *form = next_form(options_usage, command, &end);

	for (; form; form = next_form(end, command, &end)) {
		fprintf(file, "%*s%.*s", (int)strlen(head), before, (int)(end - form), form);
		before = "";
	}
}

/* What the option of `term`, "--key FILE", takes in the form: -1: it is not there, 0: words that
 * are written small, else the length of its name, at `value`. */
static int find_value(const char *form, const char *end, const char *term, size_t size,
		      const char **value)
{
	for (*value = form + size; *value < end; ++*value)
		if (strncmp(*value - size, term, size) == 0)
			return (int)strspn(*value, CAPITALS);
	return -1;
}

/* Whether the command has "--key NAME" where the entry is about "--key FILE": they are two. */
static bool is_another(const char *term, const char *command)
{
	const size_t size = strcspn(term, " ,\n") + 1;
	const int wanted = (int)strspn(term + size, CAPITALS);
	const char *value, *end, *form = next_form(options_usage, command, &end);

	for (; form; form = next_form(end, command, &end)) {
		int length = find_value(form, end, term, size, &value);
		if (length > 0)
			return length != wanted || strncmp(value, term + size, (size_t)length) != 0;
	}
	return false;
}

static bool is_about(const char *term, const char *command)
{
	char option[32];

	if (strncmp(term, "--", 2) != 0)
		return is_word(term, command);
	size_t size = strcspn(term + 2, " ,\n");
	snprintf(option, sizeof(option), "%.*s", (int)size, term + 2);
	return options_take(command, option) && !is_another(term, command);
}

/* Entries "  term   text", a blank line before each list. */
static void print_entries(FILE *file, const char *command)
{
	const char *line = options_usage;
	bool is_apart = false;

	for (const char *end; *line && strncmp(line, "exit:", 5) != 0; line = end) {
		end = indent(line) == 2 ? end_of(line, 2) : next_line(line);
		if (*line == '\n')
			is_apart = true;
		if (indent(line) != 2 || !is_about(line + 2, command))
			continue;
		fprintf(file, "%s%.*s", is_apart ? "\n" : "", (int)(end - line), line);
		is_apart = false;
	}
}

void options_help(FILE *file, const char *command)
{
	if (!command) {
		fputs(options_usage, file);
		return;
	}
	print_forms(file, command);
	print_entries(file, command);
}
