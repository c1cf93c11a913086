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

static const char *print_forms(FILE *file, const char *line, const char *command)
{
	static const char head[] = "usage: ";
	const size_t column = strlen(head);
	bool is_first = true;

	while (*line && *line != '\n') {
		const char *end = end_of(line, column), *form = line + column;
		if (is_word(form + strlen("muster "), command)) {
			fprintf(file, "%*s%.*s", (int)column, is_first ? head : "",
				(int)(end - form), form);
			is_first = false;
		}
		line = end;
	}
	return line;
}

static bool is_about(const char *term, const char *command)
{
	char option[32];

	if (strncmp(term, "--", 2) != 0)
		return is_word(term, command);
	size_t size = strcspn(term + 2, " ,\n");
	snprintf(option, sizeof(option), "%.*s", (int)size, term + 2);
	return options_take(command, option);
}

/* Entries "  term   text", a blank line before each list. */
static void print_entries(FILE *file, const char *line, const char *command)
{
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
	print_entries(file, print_forms(file, options_usage, command), command);
}
