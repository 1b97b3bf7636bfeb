// SPDX-License-Identifier: BSD-2-Clause
// ITIMER_PROF and ITIMER_VIRTUAL are the process's: the thread that set one ends, and it counts what each of the others
// computes; also where the one or the other has a kernel thread of its own.  (Not how often: the kernel counts its
// ticks, of which glibc's threads on a busy machine miss two of three.)
#include "../harness.h"
#include <sys/time.h>

enum { COMPUTING = 4, SIGNALS = 3, INTERVAL_US = 5000 };

static const uint64_t most_ns = 3000000000;	/* of its own processor time, for so many signals */
static atomic_int profs, virtuals, turn;

static void handler(int sig)
{
	atomic_fetch_add(sig == SIGPROF ? &profs : &virtuals, 1);
}

static void set(int which, suseconds_t us)
{
	struct itimerval v = { { 0, us }, { 0, us } };

	CHECK_OK(setitimer(which, &v, NULL));
}

/* A thread that sets its processors may have a kernel thread of its own, which ends with it. */
static void choose_processors(void)
{
	cpu_set_t all;

	CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof all, &all));
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof all, &all));
}

static void *sets_virtual(void *is_bound)
{
	if (is_bound)
		choose_processors();
	set(ITIMER_VIRTUAL, INTERVAL_US);
	return NULL;
}

static void *sets_prof(void *is_bound)
{
	if (is_bound)
		choose_processors();
	set(ITIMER_PROF, INTERVAL_US);
	return NULL;
}

/* One at a time: nobody else's time is told then. */
static void *computes(void *arg)
{
	int me = (int)(intptr_t)arg;

	if (me % 2)
		choose_processors();
	WAIT_FOR(turn == me);
	int profs_before = profs, virtuals_before = virtuals;
	uint64_t end = now_on(CLOCK_THREAD_CPUTIME_ID) + most_ns;

	while (profs < profs_before + SIGNALS || virtuals < virtuals_before + SIGNALS) {
		CHECK(now_on(CLOCK_THREAD_CPUTIME_ID) < end);
		for (volatile int i = 0; i < 100000; i++)
			;
	}
	turn++;
	return arg;
}

static void check(void *bound_virtual, void *bound_prof)
{
	pthread_t t[COMPUTING];

	turn = 0;
	join(spawn(sets_virtual, bound_virtual));
	join(spawn(sets_prof, bound_prof));
	spawn_many(t, COMPUTING, computes);
	join_many(t, COMPUTING);
	set(ITIMER_PROF, 0);
	set(ITIMER_VIRTUAL, 0);
}

int main(void)
{
	on_signal(SIGPROF, handler, SA_RESTART);
	on_signal(SIGVTALRM, handler, SA_RESTART);
	check(NULL, &turn);
	check(&turn, NULL);
}
