/* man.h - manual pages in mdoc, which man-db, mandoc, FreeBSD and illumos all read.
 *
 * Texts are ours, in UTF-8: words between ` and ` are literal, an empty line ends a paragraph,
 * lines that begin with four spaces are an example. Everything else is prose and filled, a source
 * line of its own for each sentence. Nothing in it is taken for a macro or an escape. Needs no
 * clock: a page of the same tables is the same page. */
#ifndef MUSTER_COMMON_MAN_H
#define MUSTER_COMMON_MAN_H

#include <stdio.h>

#include "common/record.h"

/* The head and NAME: "muster", "1", "sends load to many hosts". */
void man_begin(FILE *file, const char *name, const char *section, const char *what);

/* ".Sh TITLE". */
void man_section(FILE *file, const char *title);

void man_text(FILE *file, const char *text);

/* SEE ALSO, of names and sections by turns, with NULL at the end: "muster", "1", …, NULL. */
void man_see_also(FILE *file, const char *const *pages);

/* What --help prints, as SYNOPSIS, DESCRIPTION, COMMANDS and OPTIONS. The text: "usage: PROGRAM
 * ..." and further forms beneath, each by the program's name, what does not fit further in;
 * paragraphs; lists of "  term  text", whose terms are commands, or options ("--"); and at the end,
 * after a line "exit:", one whose terms are exit codes. */
void man_usage(FILE *file, const char *program, const char *usage);

/* The last of them, as EXIT STATUS: a page has it after FILES. */
void man_exits(FILE *file, const char *usage);

/* A subsection for each table and each beneath it, as a person writes YAML: each key with what it
 * means, what it takes (units, names, limits) and its default, without `computed` rows. */
void man_tables(FILE *file, const struct record_table *const *tables, uint32_t count);

#endif
