/* run_id.h - what a run is called, and the secret that shows whose it is.
 *
 * The name is anybody's to see. The owner's secret is made with the run, stands in the controller's
 * journal, and comes with each lease: who has it may have what agents keep of the run, and end
 * that. Agents keep its digest alone. A controller with a long-term key makes it out of that and
 * the run's name: should the journal be lost, the same key proves whose run it was. */
#ifndef MUSTER_PROTO_RUN_ID_H
#define MUSTER_PROTO_RUN_ID_H

#include <stdbool.h>

#include "common/error.h"
#include "proto/key.h"

#define RUN_ID_SIZE       64 /* of a name, with its NUL */
#define RUN_ID_OWNER_SIZE 65 /* 64 digits 0-9 a-f and a NUL; of the digest too */

/* Whether a run may be called that, which is a directory's name as well: 1 to 63 letters, digits,
 * '.', '_' and '-', of which the first is no '.'. */
bool run_id_is_name(const char *run);

/* Whether it has the form that runs are given: when they began and four digits, in UTC and base 16,
 * as 20261130-191502-3fa9. */
bool run_id_is_given(const char *run);

/* HMAC-SHA-256 of the run's name under a controller's secret key. */
void run_id_derive_owner(const unsigned char key[KEY_SIZE], const char *run,
			 char owner[RUN_ID_OWNER_SIZE]);

/* A new secret (ERROR_SYSTEM), and whether a text has the form of one or of a digest. */
int run_id_make_owner(char owner[RUN_ID_OWNER_SIZE], struct error *err);
bool run_id_is_owner(const char *owner);

/* SHA-256 of it. */
void run_id_digest(const char *owner, char digest[RUN_ID_OWNER_SIZE]);

#endif
