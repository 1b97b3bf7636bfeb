// SPDX-License-Identifier: BSD-2-Clause
/* For tests of signals that come amid an exec, before that is in the kernel: it searches for long. */
#ifndef EXEC_H
#define EXEC_H

#include "harness.h"

/* Sets PATH to very many directories that there are not, and `last`. */
static inline void search_long(const char *last)
{
	enum { DIRECTORIES = 200000 };
	static const char none[] = "/none:";
	static char path[DIRECTORIES * (sizeof(none) - 1) + PATH_MAX];
	char *end = path;

	for (int i = 0; i < DIRECTORIES; i++)
		end = mempcpy(end, none, sizeof(none) - 1);
	CHECK(strlen(last) < PATH_MAX);
	strcpy(end, last);
	CHECK_OK(setenv("PATH", path, 1));
}

/* To the process, every 2 ms, until the handler says that it has come. */
static timer_t exec_timer;

static inline void signals_begin(int sig)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig };
	struct itimerspec when = { ms_span(2), ms_span(2) };

	CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &exec_timer));
	CHECK_OK(timer_settime(exec_timer, 0, &when, NULL));
}

static inline void signals_end(void)
{
	struct itimerspec never = { 0 };

	CHECK_OK(timer_settime(exec_timer, 0, &never, NULL));
}

#endif
