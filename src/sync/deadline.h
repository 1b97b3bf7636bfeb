// SPDX-License-Identifier: BSD-2-Clause
/*
 * Points in time as programs give them, on CLOCK_REALTIME or CLOCK_MONOTONIC, and as waits use
 * them, on CLOCK_MONOTONIC.  A wait for a real-time point looks at its own clock again when it is
 * over (deadline_is_past), so a clock set back meanwhile makes it longer; one set forward does not
 * make it shorter.
 */
#ifndef UPCALL_DEADLINE_H
#define UPCALL_DEADLINE_H

#include "../base/atomic.h"
#include "../base/clock.h"

struct deadline {
	const struct timespec *at;	/* NULL: never */
	clockid_t clock;
	bool is_kernels;		/* by the kernel's clock, whatever the program's says */
};

static inline bool deadline_is_valid(const struct timespec *at)
{
	return at->tv_nsec >= 0 && at->tv_nsec < (long)NS_PER_S;
}

static inline uint64_t deadline_clock_ns(struct deadline d)
{
	return d.is_kernels ? clock_ns(d.clock) : clock_program_ns(d.clock);
}

/* Outside the runtime, as all that asks the program's clock. */
static inline uint64_t deadline_ns(struct deadline d)
{
	uint64_t at_ns, now;

	if (!d.at)
		return NEVER;
	at_ns = ns_from_timespec(d.at);
	if ((d.clock == CLOCK_MONOTONIC && (d.is_kernels || !clock_is_replaced)) || at_ns == NEVER)
		return at_ns;
	now = deadline_clock_ns(d);
	if (at_ns <= now)
		return 0;
	return ns_after(now_ns(), d.is_kernels ? at_ns - now : clock_wait_ns(d.clock, at_ns - now));
}

static inline bool deadline_is_past(struct deadline d)
{
	return d.at && (d.at->tv_sec < 0 || deadline_clock_ns(d) >= ns_from_timespec(d.at));
}

/* After a wait until then. */
static inline bool deadline_was_reached(struct deadline d)
{
	return (!d.is_kernels && clock_stands_still(d.clock)) || deadline_is_past(d);
}

#endif
