// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread whose calls wait while main is sent SIGALRM, every few milliseconds, with a handler that ends calls: main's,
 * as the kernel sends the process's signals to main where that admits them.  The thread is to notice nothing of those.
 *
 * Now and then it does: with a kernel thread each (--bound), main blocks all signals as it begins to handle one, the kernel
 * then wakes the other thread for the next one, and may find that main has taken it after all.  So each is tried a few times.
 */
#ifndef ALARMS_H
#define ALARMS_H

#define NO_WATCHDOG
#include <sys/time.h>

#include "harness.h"

#ifndef ATTEMPTS
#define ATTEMPTS 20
#endif

static atomic_int alarms;
static atomic_bool are_over;

static const char *missed;
static long long missed_is, missed_want;

static void on_alarm(int sig UNUSED)
{
	alarms++;
}

/* Of calls that wait, in what under_alarms calls. */
#define MUST_EQ(a, b)                                                                              \
	do {                                                                                       \
		missed_is = (long long)(a);                                                        \
		missed_want = (long long)(b);                                                      \
		if (missed_is != missed_want) {                                                    \
			missed = H_HERE ": " #a;                                                   \
			return;                                                                    \
		}                                                                                  \
		h_pass(H_HERE);                                                                    \
	} while (0)

#define MUST_ERRNO(call, want)                                                                     \
	do {                                                                                       \
		errno = 0;                                                                         \
		MUST_EQ(call, -1);                                                                 \
		MUST_EQ(errno, want);                                                              \
	} while (0)

static void *amid_alarms(void *fn)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		missed = NULL;
		((void (*)(void))(uintptr_t)fn)();
		if (!missed)
			break;
	}
	if (missed)
		h_fail(missed, "each time", missed_is, missed_want, true);
	are_over = true;
	return NULL;
}

static UNUSED void under_alarms(void (*fn)(void))
{
	struct itimerval each = { { 0, 2000 }, { 0, 2000 } }, none = { 0 };
	pthread_t t;

	are_over = false;
	on_signal(SIGALRM, on_alarm, SA_NODEFER);	/* main always admits it */
	CHECK_OK(setitimer(ITIMER_REAL, &each, NULL));
	t = spawn(amid_alarms, (void *)(uintptr_t)fn);
	while (!are_over)
		pause();
	CHECK_OK(setitimer(ITIMER_REAL, &none, NULL));
	join(t);
	CHECK(alarms > 0);
}

#endif
