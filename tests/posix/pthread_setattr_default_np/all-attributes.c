// SPDX-License-Identifier: BSD-2-Clause
// Threads without attributes, C11's too, get every default that pthread_setattr_default_np has set: guard
// size, CPU mask, policy, signal mask and detach state.
#include "../harness.h"

#include <threads.h>

#ifndef PTHREAD_ATTR_NO_SIGMASK_NP
int main(void)
{
	skip("attributes have masks from glibc 2.32 on");
}
#else

static size_t guard_bytes;
static int cpu;
static _Atomic int detached;

static void check(void)
{
	int state, inherits;
	pthread_attr_t a;
	sigset_t mask;
	size_t bytes;
	cpu_set_t set;

	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getguardsize(&a, &bytes));
	CHECK_EQ(bytes, guard_bytes);
	CHECK_OK(pthread_attr_getinheritsched(&a, &inherits));
	CHECK_EQ(inherits, PTHREAD_EXPLICIT_SCHED);
	CHECK_OK(pthread_attr_getdetachstate(&a, &state));
	detached = state == PTHREAD_CREATE_DETACHED ? 1 : -1;
	CHECK_OK(pthread_attr_destroy(&a));
	CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof set, &set));
	CHECK_EQ(CPU_COUNT(&set), 1);
	CHECK(CPU_ISSET(cpu, &set));
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &mask));
	CHECK(sigismember(&mask, SIGUSR2));
	CHECK(!sigismember(&mask, SIGUSR1));
}

static void *body(void *arg UNUSED)
{
	check();
	return NULL;
}

static int c11_body(void *arg UNUSED)
{
	check();
	return 0;
}

int main(void)
{
	pthread_attr_t a;
	cpu_set_t set;
	sigset_t mask;
	pthread_t t;
	thrd_t c11;

	CHECK_OK(pthread_getattr_default_np(&a));
	CHECK_OK(pthread_attr_getguardsize(&a, &guard_bytes));
	guard_bytes += (size_t)sysconf(_SC_PAGESIZE);
	CHECK_OK(pthread_attr_setguardsize(&a, guard_bytes));
	CHECK_OK(sched_getaffinity(0, sizeof set, &set));
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_OK(pthread_attr_setaffinity_np(&a, sizeof set, &set));
	CHECK_OK(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED));
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	CHECK_OK(pthread_attr_setsigmask_np(&a, &mask));
	sigaddset(&mask, SIGUSR1);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &mask, NULL));
	CHECK_OK(pthread_setattr_default_np(&a));

	join(spawn(body, NULL));
	CHECK_EQ(detached, -1);
	CHECK_EQ(thrd_create(&c11, c11_body, NULL), thrd_success);
	CHECK_EQ(thrd_join(c11, NULL), thrd_success);

	CHECK_OK(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
	CHECK_OK(pthread_setattr_default_np(&a));
	CHECK_OK(pthread_attr_destroy(&a));
	detached = 0;
	CHECK_OK(pthread_create(&t, NULL, body, NULL));
	WAIT_FOR(detached);
	CHECK_EQ(detached, 1);
}
#endif
