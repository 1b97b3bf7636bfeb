// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread whose calls wait while main is sent SIGALRM, every few milliseconds, with a handler that ends calls: main's,
 * as the kernel sends the process's signals to main where that admits them.  The thread is to notice nothing.
 */
#ifndef ALARMS_H
#define ALARMS_H

#define NO_WATCHDOG
#include <sys/time.h>

#include "harness.h"

static atomic_int alarms;
static atomic_bool are_over;

static void on_alarm(int sig UNUSED)
{
	alarms++;
}

static void *amid_alarms(void *fn)
{
	((void (*)(void))(uintptr_t)fn)();
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
