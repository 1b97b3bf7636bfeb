// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_mutexattr_setrobust: an owner is dead also where its thread ends and its process goes on.  One of
// those that wait, in the same process and in another, is told EOWNERDEAD, and after pthread_mutex_consistent all
// others have the mutex in turn.
#include "waiters.h"

enum how { RETURNS, EXITS, IS_CANCELLED };

static enum how how;
static pthread_t owner;

static void *owns(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&w->m));
	w->is_held = true;
	if (how == IS_CANCELLED)
		for (;;)
			pause();
	WAIT_FOR(w->may_end);
	if (how == EXITS)
		pthread_exit(arg);
	return arg;
}

static void end_owner(void)
{
	w->may_end = true;
	if (how == IS_CANCELLED)
		CHECK_OK(pthread_cancel(owner));
}

static void test(int protocol)
{
	waiters_init(protocol, true, WAITERS);
	owner = spawn(owns, NULL);
	waiters_of_two_processes(end_owner);
	join(owner);
	CHECK_EQ(w->told, 1);
	CHECK_EQ(w->had, 2 * w->n - 1);
	CHECK_OK(pthread_mutex_trylock(&w->m));
	CHECK_OK(pthread_mutex_unlock(&w->m));
	waiters_fini();
}

int main(void)
{
	for (how = RETURNS; how <= IS_CANCELLED; how++) {
		test(PTHREAD_PRIO_NONE);
		test(PTHREAD_PRIO_INHERIT);
	}
}
