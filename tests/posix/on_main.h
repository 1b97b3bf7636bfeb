// SPDX-License-Identifier: BSD-2-Clause
/* For tests on who handles a signal of the process: main, or another thread. */
#ifndef TESTS_POSIX_ON_MAIN_H
#define TESTS_POSIX_ON_MAIN_H

#include "harness.h"

static pthread_t main_thread;
static atomic_int on_main, elsewhere;
static atomic_bool stop;

static inline void handler(int sig UNUSED)
{
	if (pthread_equal(pthread_self(), main_thread))
		on_main++;
	else
		elsewhere++;
}

static inline void *computes(void *arg)
{
	while (!stop)
		;
	return arg;
}

#endif
