/* error.h - why something failed, in one sentence.
 *
 * A function that can fail returns 0 or -1 (a pointer or NULL) and takes `struct error *err` last.
 * The callee writes the whole text once, where it knows the most; a caller may only put in front
 * where it happened. Lower case, no full stop, names in single quotes, numbers with units, the way
 * out at the end. The kind decides the exit code (docs/DESIGN.md, "Exit codes"). */
#ifndef MUSTER_COMMON_ERROR_H
#define MUSTER_COMMON_ERROR_H

enum error_kind {
	ERROR_NONE,
	ERROR_USAGE,    /* the command line or a file a person wrote: exit 2 */
	ERROR_SYSTEM,   /* this host's own system: exit 6 */
	ERROR_SETUP,    /* a peer cannot be reached, is another build, is taken: exit 6 */
	ERROR_PROTOCOL, /* a peer said what cannot be: exit 6 before I/O, 3 after */
	ERROR_REFUSED,  /* an agent said no before any I/O: exit 5 */
	ERROR_BROKEN,   /* I/O had begun and the measurement is broken: exit 3 */
};

struct error {
	enum error_kind kind;
	const char *code; /* of a finding that is about just this; NULL: none */
	char text[1024];
};

void error_set(struct error *err, enum error_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Names the finding that this is, once the text is set. */
void error_code(struct error *err, const char *code);

/* Puts the formatted text and ": " in front of what is there; kind and code
 * stay. */
void error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
