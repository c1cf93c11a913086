/* pattern_aes.h - the stream of AES-128 in counter mode, by OpenSSL: for who trusts no other. */
#ifndef MUSTER_COMMON_PATTERN_AES_H
#define MUSTER_COMMON_PATTERN_AES_H

#include <stddef.h>
#include <stdint.h>

/* Writes `size` bytes of the key's stream from its block `block` of 16 bytes on. From any thread;
 * the first call of each allocates. Ends the process where OpenSSL has no AES. */
void pattern_aes(void *into, size_t size, const uint64_t key[2], uint64_t block);

#endif
