// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_mutex_destroy, "Destroying Mutexes": a mutex can be destroyed immediately after it is unlocked, by the
// one that holds the last reference to what it protects (glibc's bug 13690).  Of every type, and unmapped at once.
#include "../disposed.h"

struct object {
	pthread_mutex_t lock;
	int references;
};

static const int types[] = {
	PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP,
};

static void make(void *object, int round)
{
	struct object *o = object;
	int kind = round / 3;
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, types[kind % 4]));
	CHECK_OK(pthread_mutexattr_setpshared(&a, disposed_is_shared(round)));
	if (kind / 4 % 4 == 1)
		CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	if (kind / 4 % 4 == 2)
		CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&o->lock, &a));
	o->references = DISPOSED_USERS;
}

static void take(pthread_mutex_t *m, int way)
{
	struct timespec late = in_ms(CLOCK_REALTIME, 3 * PATIENCE_MS);

	if (way == 0)
		CHECK_OK(pthread_mutex_timedlock(m, &late));
	else
		CHECK_OK(pthread_mutex_lock(m));
}

static void use(void *object, int user, int round)
{
	struct object *o = object;

	take(&o->lock, user);
	bool is_last = --o->references == 0;

	if (user == round % 7)
		sched_yield();
	CHECK_OK(pthread_mutex_unlock(&o->lock));
	if (!is_last)
		return;
	CHECK_OK(pthread_mutex_destroy(&o->lock));
	dispose(o, round);
}

int main(void)
{
	disposed_run((struct disposed){ make, use });
}
