/* safety_name.h - the name of the file that muster makes for a target. */
#ifndef MUSTER_AGENT_SAFETY_NAME_H
#define MUSTER_AGENT_SAFETY_NAME_H

/* muster.<host>.<target>.data, of letters, digits, '.', '_' and '-' only. Where something had to be
 * replaced or cut off, a hash of the original keeps two names apart. The caller frees it. */
char *safety_file_name(const char *host, const char *target);

#endif
