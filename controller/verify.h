/* verify.h - muster verify: whether a run directory is what was written. */
#ifndef MUSTER_CONTROLLER_VERIFY_H
#define MUSTER_CONTROLLER_VERIFY_H

enum verify_end {
	VERIFY_GOOD = 0,    /* all files as they were, signed by the key asked for */
	VERIFY_CHANGED = 1, /* a file or the manifest is not what was written */
	VERIFY_UNPROVED =
		4,         /* all files as MANIFEST.json has them; nothing proves who wrote that */
	VERIFY_SET_UP = 6, /* cannot be read; a MANIFEST.json or a key that is none is 2 */
};

/* Prints a line for each file and one for the signature; answers an exit code. `key` is the file of
 * the public key, NULL: none. */
int verify_execute(const char *directory, const char *key);

#endif
