/* record_words.h - what a row takes, in words: for errors and for the documentation. */
#ifndef MUSTER_COMMON_RECORD_WORDS_H
#define MUSTER_COMMON_RECORD_WORDS_H

#include "common/record.h"

/* The longest list of names: the metrics of a gate. What would not fit is an assertion. */
#define RECORD_WORDS_SIZE 640

/* As a person writes it in YAML: "bytes (64KiB), 512 to 1GiB", "one of read, write, mixed". */
char *record_words(char text[RECORD_WORDS_SIZE], const struct record_row *row);

/* As messages and results carry it: "u64, bytes, 512 to 1073741824", "text or nil". */
char *record_words_raw(char text[RECORD_WORDS_SIZE], const struct record_row *row);

#endif
