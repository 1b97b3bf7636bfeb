// SPDX-License-Identifier: BSD-2-Clause
// A program that was started with SIGURG blocked, the library's own signal, has time slices: who computes gives way.
#include "check.h"

#include <signal.h>
#include <stdatomic.h>

static atomic_int turns;

static void *computes(void *arg)
{
	int last = 1 - (int)(intptr_t)arg;

	while (turns < 20)
		if (turns % 2 != last)
			turns++;
	return arg;
}

static void test(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;
	sigset_t set;
	upcall_t t[2];

	alarm(50);
	if (test_flags)			/* those give way in calls only */
		exit(0);
	options.vprocs = 1;
	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	CHECK_IS(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	CHECK_IS(upcall_init(&options), 0);
	for (int i = 0; i < 2; i++)
		t[i] = spawn(computes, (void *)(intptr_t)i);
	for (int i = 0; i < 2; i++)
		join(t[i]);
}
