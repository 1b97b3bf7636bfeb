// SPDX-License-Identifier: BSD-2-Clause
// Mutexes and a lock from the static initialisers, glibc's own among them, are used at once by several threads,
// destroyed, and initialised again with every other type, which they then have (POSIX, pthread_mutex_destroy: a
// destroyed mutex can be reinitialised).
#include "../harness.h"

enum { KINDS = 4, THREADS = 3, TURNS = 300 };

static pthread_mutex_t m[KINDS] = {
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
	PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
};
static const int types[KINDS] = {
	PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP,
};
static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static pthread_mutex_t *used;
static volatile int count;
static atomic_int reading, wants;

static void *counts(void *arg)
{
	for (int i = 0; i < TURNS; i++) {
		CHECK_OK(pthread_mutex_lock(used));
		int was = count;

		if (i % 50 == 0)
			sched_yield();
		count = was + 1;
		CHECK_OK(pthread_mutex_unlock(used));
	}
	return arg;
}

static void has_type(pthread_mutex_t *at, int type)
{
	pthread_t t[THREADS];
	int again;

	used = at;
	count = 0;
	spawn_many(t, THREADS, counts);
	join_many(t, THREADS);
	CHECK_EQ(count, THREADS * TURNS);
	CHECK_OK(pthread_mutex_lock(at));
	again = pthread_mutex_trylock(at);
	CHECK_EQ(again, type == PTHREAD_MUTEX_RECURSIVE ? 0 : EBUSY);
	if (type == PTHREAD_MUTEX_ERRORCHECK)
		CHECK_EQ(pthread_mutex_lock(at), EDEADLK);
	if (again == 0)
		CHECK_OK(pthread_mutex_unlock(at));
	CHECK_OK(pthread_mutex_unlock(at));
	if (type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE)
		CHECK_EQ(pthread_mutex_unlock(at), EPERM);
}

static void becomes(pthread_mutex_t *at, int type)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutex_destroy(at));
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, type));
	CHECK_OK(pthread_mutex_init(at, &a));
	CHECK_OK(pthread_mutexattr_destroy(&a));
	has_type(at, type);
}

static void *writes(void *arg)
{
	wants = 1;
	CHECK_OK(pthread_rwlock_wrlock(&l));
	CHECK_EQ(reading, 0);
	CHECK_OK(pthread_rwlock_unlock(&l));
	return arg;
}

/* A writer that waits comes before a new reader. */
static void writer_is_first(void)
{
	pthread_t t;

	CHECK_OK(pthread_rwlock_rdlock(&l));
	reading = 1;
	t = spawn(writes, NULL);
	WAIT_FOR(wants);
	WAIT_FOR(pthread_rwlock_tryrdlock(&l) == EBUSY || (pthread_rwlock_unlock(&l), false));
	reading = 0;
	CHECK_OK(pthread_rwlock_unlock(&l));
	join(t);
	CHECK_OK(pthread_rwlock_destroy(&l));
}

int main(void)
{
	for (int i = 0; i < KINDS; i++) {
		has_type(&m[i], types[i]);
		for (int j = 0; j < KINDS; j++)
			becomes(&m[i], types[(i + j) % KINDS]);
		CHECK_OK(pthread_mutex_destroy(&m[i]));
	}
	writer_is_first();
	CHECK_OK(pthread_rwlock_init(&l, NULL));
	CHECK_OK(pthread_rwlock_rdlock(&l));
	CHECK_OK(pthread_rwlock_tryrdlock(&l));
	CHECK_OK(pthread_rwlock_unlock(&l));
	CHECK_OK(pthread_rwlock_unlock(&l));
	CHECK_OK(pthread_rwlock_destroy(&l));
}
