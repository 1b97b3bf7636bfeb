// SPDX-License-Identifier: BSD-2-Clause
/* Time inside the runtime: nanoseconds on CLOCK_MONOTONIC, read from the vdso. */
#ifndef UPCALL_BASE_CLOCK_H
#define UPCALL_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NEVER UINT64_MAX
#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/* Saturates: a time beyond 584 years is NEVER. */
static inline uint64_t ns_from_timespec(const struct timespec *ts)
{
	if (ts->tv_sec < 0)
		return 0;
	if ((uint64_t)ts->tv_sec > (NEVER - NS_PER_S) / NS_PER_S)
		return NEVER;
	return (uint64_t)ts->tv_sec * NS_PER_S + (uint64_t)ts->tv_nsec;
}

/*
 * The C library's own clock_gettime, and the one that the program calls: another library (libfaketime)
 * may have put its own in its place, which needs more of a thread than the runtime's own kernel
 * threads have, and is not to be called inside the runtime.
 */
#pragma GCC visibility push(hidden)
extern int (*clock_read)(clockid_t clock, struct timespec *ts);
extern int (*clock_program)(clockid_t clock, struct timespec *ts);
extern bool clock_is_replaced;

/*
 * How fast the program's CLOCK_REALTIME and CLOCK_MONOTONIC go, as measured when it began: 1, unless they are
 * replaced.  0: they stand still, or are moved by other things than time.
 */
extern double clock_speeds[2];
#pragma GCC visibility pop

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_read(clock, &ts);
	return ns_from_timespec(&ts);
}

static inline uint64_t clock_program_ns(clockid_t clock)
{
	struct timespec ts;

	clock_program(clock, &ts);
	return ns_from_timespec(&ts);
}

static inline double clock_speed(clockid_t clock)
{
	return clock_speeds[clock == CLOCK_MONOTONIC];
}

/* No clock that stands still comes to the end of a wait: such waits last as long as without the other library. */
static inline bool clock_stands_still(clockid_t clock)
{
	return clock_speed(clock) == 0;
}

/* How long it takes until the program's clock has gone on by so much. */
static inline uint64_t clock_wait_ns(clockid_t clock, uint64_t program_ns)
{
	double speed = clock_speed(clock), ns;

	if (speed == 1 || clock_stands_still(clock) || program_ns == NEVER)
		return program_ns;
	ns = (double)program_ns / speed;
	return ns < (double)INT64_MAX ? (uint64_t)ns : NEVER;
}

/* By how much it goes on meanwhile. */
static inline uint64_t clock_passes_ns(clockid_t clock, uint64_t ns)
{
	double speed = clock_speed(clock);

	return speed == 1 || clock_stands_still(clock) ? ns : (uint64_t)((double)ns * speed);
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t ns_after(uint64_t start_ns, uint64_t delta_ns)
{
	return delta_ns > NEVER - start_ns ? NEVER : start_ns + delta_ns;
}

/*
 * What a turn of a loop that waits counts of its patience: since *before, and a millisecond at most.  Of what is longer
 * the caller had no processor for most, and who is waited for none either.
 */
static inline uint64_t turn_ns(uint64_t *before)
{
	uint64_t now = now_ns(), ns = now - *before;

	*before = now;
	return ns < NS_PER_MS ? ns : NS_PER_MS;
}

#endif
