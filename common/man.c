#include "common/man.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 78, ESCAPE_SIZE = 16 };

/* When the pages last changed in kind. Of the day of the build it would be another page each day.
 */
static const char page_date[] = "November 30, 2026";

/* Takes one character off the text; `literal` between ` and `, and in what begins with a dash. */
static void escape(char into[ESCAPE_SIZE], const char **text, bool literal)
{
	static const struct {
		char from;
		const char *to;
	} specials[] = {
		{'\\', "\\e"}, {'\'', "\\(aq"}, {'"', "\\(dq"}, {'~', "\\(ti"}, {'^', "\\(ha"}};
	unsigned char first = (unsigned char)*(*text)++;

	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (specials[i].from == (char)first) {
			snprintf(into, ESCAPE_SIZE, "%s", specials[i].to);
			return;
		}
	if (first < 0x80) {
		snprintf(into, ESCAPE_SIZE, "%s%c", first == '-' && literal ? "\\" : "", first);
		return;
	}
	uint32_t code = first & (first >= 0xf0 ? 0x07 : first >= 0xe0 ? 0x0f : 0x1f);
	while (((unsigned char)**text & 0xc0) == 0x80)
		code = code << 6 | ((unsigned char)*(*text)++ & 0x3f);
	snprintf(into, ESCAPE_SIZE, "\\[u%04X]", code);
}

/* Writes `size` bytes of text, or with a NULL file only says how many bytes that would be. */
static size_t put(FILE *file, const char *text, size_t size, bool *literal)
{
	const char *end = text + size;
	bool dashed = *text == '-' || (size > 1 && text[1] == '-');
	size_t written = 0;

	while (text < end) {
		char piece[ESCAPE_SIZE];
		if (*text == '`') {
			*literal = !*literal;
			snprintf(piece, sizeof(piece), "\\f%c", *literal ? 'B' : 'R');
			text++;
		} else {
			escape(piece, &text, *literal || dashed);
		}
		written += strlen(piece);
		if (file)
			fputs(piece, file);
	}
	return written;
}

static bool ends_sentence(const char *word, size_t size)
{
	while (size > 1 && (word[size - 1] == ')' || word[size - 1] == '"'))
		size--;
	return size > 1 && strchr(".!?", word[size - 1]) && word[size - 2] != '.';
}

/* One word of filled text at its place in the line; `column` is 0 at the beginning of one. */
static void put_word(FILE *file, const char *word, size_t size, size_t *column, bool *literal)
{
	bool after = *literal;
	size_t width = put(NULL, word, size, &after);

	if (*column > 0 && *column + 1 + width > WIDTH) {
		fputc('\n', file);
		*column = 0;
	}
	if (*column > 0)
		fputc(' ', file);
	else if (*word == '.' || *word == '\'')
		fputs("\\&", file);
	*column += put(file, word, size, literal) + 1;
	if (ends_sentence(word, size) && !*literal) {
		fputc('\n', file);
		*column = 0;
	}
}

static size_t line_size(const char *text)
{
	return strcspn(text, "\n");
}

static bool is_example(const char *line)
{
	return strncmp(line, "    ", 4) == 0;
}

/* Until a line that is none; answers what comes after it. */
static const char *put_example(FILE *file, const char *text)
{
	fputs(".Bd -literal -offset indent\n", file);
	while (is_example(text)) {
		size_t size = line_size(text);
		if (text[4] == '.' || text[4] == '\'')
			fputs("\\&", file);
		for (const char *at = text + 4, *end = text + size; at < end;) {
			char piece[ESCAPE_SIZE];
			escape(piece, &at, true);
			fputs(piece, file);
		}
		fputc('\n', file);
		text += size + (text[size] == '\n');
	}
	fputs(".Ed\n", file);
	return text;
}

/* Until an empty line or an example. */
static const char *put_paragraph(FILE *file, const char *text)
{
	size_t column = 0;
	bool literal = false;

	while (*text && *text != '\n' && !is_example(text)) {
		const char *end = text + line_size(text);
		while (text < end) {
			size_t size = strcspn(text, " \n");
			if (size > 0)
				put_word(file, text, size, &column, &literal);
			text += size;
			text += *text == ' ';
		}
		text += *text == '\n';
	}
	if (column > 0)
		fputc('\n', file);
	return text;
}

void man_text(FILE *file, const char *text)
{
	bool is_first = true;

	while (*text) {
		if (*text == '\n') {
			text++;
			continue;
		}
		if (is_example(text)) {
			text = put_example(file, text);
			is_first = false;
			continue;
		}
		if (!is_first)
			fputs(".Pp\n", file);
		text = put_paragraph(file, text);
		is_first = false;
	}
}

void man_begin(FILE *file, const char *name, const char *section, const char *what)
{
	fputs(".\\\" Printed from the tables by make docs; do not edit.\n", file);
	fprintf(file, ".Dd %s\n.Dt ", page_date);
	for (const char *at = name; *at; at++)
		fputc(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at, file);
	fprintf(file, " %s\n.Os muster\n.Sh NAME\n.Nm %s\n.Nd %s\n", section, name, what);
}

void man_section(FILE *file, const char *title)
{
	fprintf(file, ".Sh %s\n", title);
}

void man_see_also(FILE *file, const char *const *pages)
{
	man_section(file, "SEE ALSO");
	for (; pages[0]; pages += 2)
		fprintf(file, ".Xr %s %s%s\n", pages[0], pages[1], pages[2] ? " ," : "");
}
