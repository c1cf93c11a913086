#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/man.h"
#include "common/memory.h"

static const char *next_line(const char *text)
{
	text += strcspn(text, "\n");
	return *text ? text + 1 : text;
}

static size_t indent(const char *line)
{
	return strspn(line, " ");
}

static bool is_in(char c, const char *set)
{
	return c != '\0' && strchr(set, c);
}

/* A word of a form: an option, what is put in (capitals), or what is typed. */
static void put_word(FILE *file, const char *word, size_t size)
{
	bool many = size > 3 && strncmp(word + size - 3, "...", 3) == 0;

	if (many)
		size -= 3;
	if (size == 1 && *word == '|')
		fputc('|', file);
	else if (size > 2 && strncmp(word, "--", 2) == 0)
		fprintf(file, "Fl \\-%.*s", (int)(size - 2), word + 2);
	else if (*word >= 'A' && *word <= 'Z')
		fprintf(file, "Ar %.*s", (int)size, word);
	else
		fprintf(file, "Cm %.*s", (int)size, word);
	if (many)
		fputs(" ...", file);
}

/* "[--key NAME | --insecure]" is one line of the page, as is each word outside of brackets. */
static const char *put_item(FILE *file, const char *at)
{
	bool bracket = *at == '[';

	at += bracket;
	fputs(bracket ? ".Op" : ".", file);
	do {
		at += strspn(at, " ");
		if (bracket)
			fputc(' ', file);
		size_t size = strcspn(at, bracket ? " ]\n" : " \n");
		put_word(file, at, size);
		at += size;
	} while (bracket && !is_in(*at, "]\n"));
	at += *at == ']';
	if (strncmp(at, "...", 3) == 0) {
		fputs(" ...", file);
		at += 3;
	}
	fputc('\n', file);
	return at;
}

/* "usage: muster run PLAN" or "       muster check PLAN", and what is further in beneath. */
static const char *put_form(FILE *file, const char *program, const char *line)
{
	size_t column = strlen("usage: ");
	const char *at = line + column + strlen(program);

	fprintf(file, ".Nm %s\n", program);
	do {
		for (at += indent(at); *at && *at != '\n'; at += indent(at))
			at = put_item(file, at);
		at = next_line(at);
	} while (indent(at) > column);
	return at;
}

/* Lines as one text, each without what it is indented by; ends before a line that is not `deeper`
 * than that, or is empty. The caller's to free. */
static char *join(const char **text, size_t deeper)
{
	char *joined = mem_format("%s", "");

	do {
		const char *line = *text + indent(*text);
		char *longer = mem_format("%s%.*s\n", joined, (int)strcspn(line, "\n"), line);
		free(joined);
		joined = longer;
		*text = next_line(*text);
	} while (**text && **text != '\n' && indent(*text) >= deeper);
	return joined;
}

/* "  --out DIR   the run directory", or "  --help, --version" alone. */
static const char *put_entry(FILE *file, const char *line)
{
	const char *term = line + 2, *end = term;

	while (*end && *end != '\n' && strncmp(end, "  ", 2) != 0)
		end++;
	fputs(".It", file);
	for (const char *at = term; at < end; at += strspn(at, " ,")) {
		size_t size = strcspn(at, " ,\n");
		fputc(' ', file);
		put_word(file, at, size);
		at += size;
		if (*at == ',')
			fputs(" ,", file);
	}
	fputc('\n', file);
	if (*end != ' ')
		return next_line(end);
	char *text = join(&end, 3);
	man_text(file, text);
	free(text);
	return end;
}

static const char *put_list(FILE *file, const char *line)
{
	fputs(".Bl -tag -width Ds\n", file);
	while (indent(line) == 2)
		line = put_entry(file, line);
	fputs(".El\n", file);
	return line;
}

static const char *put_prose(FILE *file, const char *line)
{
	char *text = join(&line, 0);

	man_text(file, text);
	free(text);
	return line;
}

static const char exits[] = "\nexit:\n";

void man_usage(FILE *file, const char *program, const char *usage)
{
	const char *end = strstr(usage, exits);

	man_section(file, "SYNOPSIS");
	do
		usage = put_form(file, program, usage);
	while (*usage && *usage != '\n');
	man_section(file, "DESCRIPTION");
	while (*usage && usage != end) {
		if (*usage == '\n') {
			usage++;
		} else if (indent(usage) == 2) {
			man_section(file, usage[2] == '-' ? "OPTIONS" : "COMMANDS");
			usage = put_list(file, usage);
		} else {
			usage = put_prose(file, usage);
		}
	}
}

void man_exits(FILE *file, const char *usage)
{
	const char *list = strstr(usage, exits);

	if (!list)
		return;
	man_section(file, "EXIT STATUS");
	put_list(file, list + strlen(exits));
}
