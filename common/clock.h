/* clock.h - the time base of a program: ns of a clock that nobody sets. */
#ifndef MUSTER_COMMON_CLOCK_H
#define MUSTER_COMMON_CLOCK_H

#include <stdint.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* CLOCK_MONOTONIC in ns. */
uint64_t clock_now_ns(void);

/* Sleeps until `at_ns` of clock_now_ns() has passed; returns at once when it already has. */
void clock_sleep_until(uint64_t at_ns);

/* Sleeps for `duration_ns`. */
void clock_sleep(uint64_t duration_ns);

/* The wall clock as "2026-11-30T19:00:00Z": for labels, never for arithmetic. */
#define CLOCK_TEXT_SIZE 32
void clock_wall_text(char text[CLOCK_TEXT_SIZE]);

#endif
