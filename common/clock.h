/* clock.h - the time base of a program: ns of a clock that nobody sets and, where the system has
 * such, that nobody slews.
 *
 * CLOCK_MONOTONIC_RAW on Linux, where NTP may run CLOCK_MONOTONIC 10 % fast or slow; gethrtime() on
 * SunOS, which adjtime() leaves alone; CLOCK_MONOTONIC on FreeBSD, which ntpd may slew. It stands
 * still while a host sleeps. clock_now_ns and clock_sleep_until are a library of their own,
 * `clock_base` (clock_base_*.c, one of them chosen by CMake), that each program links, so that
 * tests can have an agent with another clock (tests/clock_hook.c). */
#ifndef MUSTER_COMMON_CLOCK_H
#define MUSTER_COMMON_CLOCK_H

#include <stdint.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* This clock now. */
uint64_t clock_now_ns(void);

/* Sleeps until `at_ns` of clock_now_ns() has passed; returns at once when it already has. However
 * the system's timers are slewed against this clock, it is never early. */
void clock_sleep_until(uint64_t at_ns);

/* Sleeps for `duration_ns`. */
void clock_sleep(uint64_t duration_ns);

/* The wall clock as "2026-11-30T19:00:00Z": for labels, never for arithmetic. */
#define CLOCK_TEXT_SIZE 32
void clock_wall_text(char text[CLOCK_TEXT_SIZE]);

#endif
