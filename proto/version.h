/* version.h - what this build calls itself towards a peer. */
#ifndef MUSTER_PROTO_VERSION_H
#define MUSTER_PROTO_VERSION_H

/* The program version, for people. */
const char *version_text(void);

/* The fingerprint of all message tables, 16 hex digits: builds with the same one work together. */
const char *version_fingerprint(void);

#endif
