// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_mutex_consistent: where the one that was told EOWNERDEAD unlocks without it, the mutex is lost, and
// all who wait for it already, in its process and in another, are told ENOTRECOVERABLE; it can only be destroyed.
#include "waiters.h"

static pid_t owners;

static void *owns(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&w->m));
	w->is_held = true;
	for (;;)
		pause();
	return arg;
}

static void kill_owners(void)
{
	CHECK_OK(kill(owners, SIGKILL));
	CHECK_EQ(waitpid(owners, NULL, 0), owners);
}

static void test(int protocol, int n)
{
	struct timespec late = in_ms(CLOCK_MONOTONIC, PATIENCE_MS);

	waiters_init(protocol, false, n);
	owners = fork_watched();
	if (owners == 0)
		join(spawn(owns, NULL));
	waiters_of_two_processes(kill_owners);
	CHECK_EQ(w->told, 1);
	CHECK_EQ(w->had, 0);
	CHECK_EQ(w->refused, 2 * w->n - 1);
	CHECK_EQ(pthread_mutex_clocklock(&w->m, CLOCK_MONOTONIC, &late), ENOTRECOVERABLE);
	CHECK_EQ(pthread_mutex_consistent(&w->m), EINVAL);
	CHECK_EQ(pthread_mutex_trylock(&w->m), ENOTRECOVERABLE);	/* the last: glibc 2.36 leaves it locked */
	waiters_fini();
}

/* Without a protocol glibc 2.36 tells one who waits already, and forgets to wake the others. */
int main(void)
{
	for (int i = 0; i < 3; i++) {
		test(PTHREAD_PRIO_NONE, 1);
		test(PTHREAD_PRIO_INHERIT, WAITERS);
	}
}
