// SPDX-License-Identifier: BSD-2-Clause
// POSIX, 2.9.9 Synchronization Object Copies and Alternative Mappings: a process-shared object "need not be referenced
// at the address used to initialize it (that is, another mapping of the same object can be used)".  In one process,
// threads that wait at one address are woken by what is done at another, with every kind of object, also when the
// first address has become another object's.
#include "partner.h"
#include "pshared.h"

enum { THREADS = 6 };

static struct objects *at[2];		/* the same ones, at two addresses */
static atomic_int entered, passed;

static struct objects *one(void *arg)
{
	return at[(intptr_t)arg % 2];
}

static struct objects *other(void *arg)
{
	return at[((intptr_t)arg + 1) % 2];
}

static bool has_limit(void *arg)
{
	return (intptr_t)arg / 2 % 2;
}

static struct timespec patience(clockid_t clock)
{
	return in_ms(clock, WATCHDOG_SECONDS * 1000);
}

static void *in_mutex(void *arg)
{
	struct timespec limit = patience(CLOCK_REALTIME);

	CHECK_EQ(pthread_mutex_trylock(&one(arg)->mutex), EBUSY);
	entered++;
	CHECK_OK(has_limit(arg) ? pthread_mutex_timedlock(&one(arg)->mutex, &limit) :
		 pthread_mutex_lock(&one(arg)->mutex));
	CHECK_EQ(++one(arg)->passed, ++passed);
	CHECK_OK(pthread_mutex_unlock(&other(arg)->mutex));
	return NULL;
}

static void test_mutex(void)
{
	pthread_t t[THREADS];

	entered = passed = 0;
	CHECK_OK(pthread_mutex_lock(&at[0]->mutex));
	at[0]->passed = 0;
	spawn_many(t, THREADS, in_mutex);
	WAIT_FOR(entered == THREADS);
	settle();
	CHECK_EQ(passed, 0);
	CHECK_OK(pthread_mutex_unlock(&at[1]->mutex));
	join_many(t, THREADS);
}

/* The condition by one address, its mutex by either. */
static void *in_cond(void *arg)
{
	struct timespec limit = patience(CLOCK_MONOTONIC);
	pthread_cond_t *c = &one(arg)->cond;
	pthread_mutex_t *m = (intptr_t)arg % 3 ? &one(arg)->mutex : &other(arg)->mutex;

	CHECK_OK(pthread_mutex_lock(m));
	entered++;
	while (one(arg)->gate == 0)
		CHECK_OK(has_limit(arg) ? pthread_cond_timedwait(c, m, &limit) : pthread_cond_wait(c, m));
	one(arg)->gate--;
	CHECK_OK(pthread_mutex_unlock(m));
	return NULL;
}

static void open_gate(int n, int (*wake)(pthread_cond_t *), int by)
{
	CHECK_OK(pthread_mutex_lock(&at[by]->mutex));
	at[by]->gate += n;
	CHECK_OK(pthread_mutex_unlock(&at[by]->mutex));
	CHECK_OK(wake(&at[by]->cond));
}

static void test_cond(bool all)
{
	pthread_t t[THREADS];

	entered = 0;
	spawn_many(t, THREADS, in_cond);
	WAIT_FOR(entered == THREADS);
	if (all)
		open_gate(THREADS, pthread_cond_broadcast, 1);
	else
		for (int i = 0; i < THREADS; i++)
			open_gate(1, pthread_cond_signal, i / 2 % 2);
	join_many(t, THREADS);
	CHECK_EQ(at[0]->gate, 0);
}

static void *in_rwlock(void *arg)
{
	struct timespec limit = patience(CLOCK_REALTIME);
	pthread_rwlock_t *l = &one(arg)->rwlock;
	bool writes = (intptr_t)arg >= THREADS / 2;

	CHECK_EQ(pthread_rwlock_tryrdlock(l), EBUSY);
	entered++;
	if (has_limit(arg))
		CHECK_OK(writes ? pthread_rwlock_timedwrlock(l, &limit) : pthread_rwlock_timedrdlock(l, &limit));
	else
		CHECK_OK(writes ? pthread_rwlock_wrlock(l) : pthread_rwlock_rdlock(l));
	CHECK_EQ(one(arg)->passed, -1);
	CHECK_OK(pthread_rwlock_unlock(&other(arg)->rwlock));
	return NULL;
}

static void test_rwlock(void)
{
	pthread_t t[THREADS];

	entered = 0;
	CHECK_OK(pthread_rwlock_wrlock(&at[0]->rwlock));
	spawn_many(t, THREADS, in_rwlock);
	WAIT_FOR(entered == THREADS);
	settle();
	at[0]->passed = -1;
	CHECK_OK(pthread_rwlock_unlock(&at[1]->rwlock));
	join_many(t, THREADS);
}

static void *in_barrier(void *arg)
{
	int rc;

	entered++;
	rc = pthread_barrier_wait(&one(arg)->barrier);
	CHECK(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
	CHECK_EQ(entered, THREADS);
	return NULL;
}

static void test_barrier(void)
{
	pthread_t t[THREADS];

	entered = 0;
	spawn_many(t, THREADS, in_barrier);
	join_many(t, THREADS);
}

static void *in_sem(void *arg)
{
	struct timespec limit = patience(CLOCK_REALTIME);

	entered++;
	CHECK_OK(has_limit(arg) ? sem_timedwait(&one(arg)->sem, &limit) : sem_wait(&one(arg)->sem));
	passed++;
	return NULL;
}

static void test_sem(void)
{
	pthread_t t[THREADS];

	entered = passed = 0;
	spawn_many(t, THREADS, in_sem);
	WAIT_FOR(entered == THREADS);
	settle();
	for (int i = 0; i < THREADS; i++) {
		CHECK_OK(sem_post(&at[i / 2 % 2]->sem));
		WAIT_FOR(passed == i + 1);
	}
	join_many(t, THREADS);
}

static void *in_futex(void *arg)
{
	entered++;
	while (atomic_load(&one(arg)->word) == 0)
		futex(&one(arg)->word, SHARED_WAIT_OP, 0, NULL);
	return NULL;
}

static void test_futex(void)
{
	pthread_t t[THREADS];

	entered = 0;
	spawn_many(t, THREADS, in_futex);
	WAIT_FOR(entered == THREADS);
	settle();
	atomic_store(&at[1]->word, 1);
	futex(&at[1]->word, SHARED_WAKE_OP, INT_MAX, NULL);
	join_many(t, THREADS);
	atomic_store(&at[1]->word, 0);
}

static void test_all(void)
{
	test_mutex();
	test_cond(false);
	test_cond(true);
	test_rwlock();
	test_barrier();
	test_sem();
	test_futex();
}

int main(void)
{
	int fd = shared_file(sizeof(struct objects)), another = shared_file(sizeof(struct objects));
	struct objects *first = map_file(fd, sizeof *first), *held;

	at[0] = first;
	at[1] = map_file(fd, sizeof *first);
	CHECK(at[0] != at[1]);
	init_objects(first, THREADS);
	test_all();

	at[0] = map_file(fd, sizeof *first);
	held = mmap(first, sizeof *first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, another, 0);
	CHECK(held == first);
	init_objects(held, 1);
	CHECK_OK(pthread_mutex_lock(&held->mutex));
	CHECK_OK(pthread_rwlock_wrlock(&held->rwlock));
	test_all();
	CHECK_OK(pthread_rwlock_unlock(&held->rwlock));
	CHECK_OK(pthread_mutex_unlock(&held->mutex));
}
