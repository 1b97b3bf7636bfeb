// SPDX-License-Identifier: BSD-2-Clause
// A condition that processes share serves the threads of one with a mutex that is this one's only, of whatever type.
#include "pshared.h"

enum { THREADS = 4, ROUNDS = 400 };

static pthread_mutex_t m;
static pthread_cond_t *cond;
static int turn, rounds;
static atomic_int entered, cleaned;

static void *by_turns(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_mutex_lock(&m));
		while (turn != (int)(intptr_t)arg)
			CHECK_OK(pthread_cond_wait(cond, &m));
		turn = (turn + 1) % THREADS;
		rounds++;
		if (i % 2)
			CHECK_OK(pthread_cond_broadcast(cond));
		CHECK_OK(pthread_mutex_unlock(&m));
		if (!(i % 2))		/* without it as well */
			CHECK_OK(pthread_cond_broadcast(cond));
	}
	return NULL;
}

static void *waits_for_one_signal(void *arg UNUSED)
{
	struct timespec limit = in_ms(CLOCK_MONOTONIC, PATIENCE_MS);

	CHECK_OK(pthread_mutex_lock(&m));
	entered++;
	while (!turn)
		CHECK_OK(pthread_cond_timedwait(cond, &m, &limit));
	turn--;
	CHECK_OK(pthread_mutex_unlock(&m));
	return NULL;
}

static void clean(void *arg UNUSED)
{
	cleaned++;
	CHECK_OK(pthread_mutex_unlock(&m));
}

static void *is_cancelled(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&m));
	pthread_cleanup_push(clean, NULL);
	entered++;
	for (;;)
		CHECK_OK(pthread_cond_wait(cond, &m));
	pthread_cleanup_pop(0);
	return NULL;
}

static void *signals_holding_it(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	turn = 1;
	CHECK_OK(pthread_cond_signal(cond));
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

static void test_wakes(void)
{
	pthread_t t[THREADS];

	turn = rounds = entered = 0;
	spawn_many(t, THREADS, by_turns);
	join_many(t, THREADS);
	CHECK_EQ(rounds, THREADS * ROUNDS);
	turn = 0;
	spawn_many(t, THREADS, waits_for_one_signal);
	WAIT_FOR(entered == THREADS);
	for (int i = 0; i < THREADS; i++) {
		CHECK_OK(pthread_mutex_lock(&m));
		turn++;
		CHECK_OK(pthread_mutex_unlock(&m));
		CHECK_OK(pthread_cond_signal(cond));
	}
	join_many(t, THREADS);
	CHECK_EQ(turn, 0);
}

static void test_limits(void)
{
	struct timespec soon = in_ms(CLOCK_MONOTONIC, 10), real = in_ms(CLOCK_REALTIME, 10), bad = { 0, -1 };

	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_EQ(pthread_cond_timedwait(cond, &m, &soon), ETIMEDOUT);
	CHECK_EQ(pthread_cond_timedwait(cond, &m, &bad), EINVAL);
#if __GLIBC_PREREQ(2, 30)
	CHECK_EQ(pthread_cond_clockwait(cond, &m, CLOCK_REALTIME, &real), ETIMEDOUT);
#endif
	CHECK(real.tv_sec > 0);
	CHECK_EQ(pthread_mutex_destroy(&m), EBUSY);
	CHECK_OK(pthread_mutex_unlock(&m));
}

static void test_cancel(void)
{
	pthread_t t[THREADS];

	entered = cleaned = 0;
	spawn_many(t, THREADS, is_cancelled);
	WAIT_FOR(entered == THREADS);
	settle();
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_cancel(t[i]));
	for (int i = 0; i < THREADS; i++)
		CHECK(join(t[i]) == PTHREAD_CANCELED);
	CHECK_EQ(cleaned, THREADS);
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
}

static void test_owner(bool is_recursive)
{
	struct timespec soon = in_ms(CLOCK_MONOTONIC, 10);

	CHECK_EQ(pthread_cond_timedwait(cond, &m, &soon), EPERM);
	if (!is_recursive)
		return;
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_lock(&m));
	soon = in_ms(CLOCK_MONOTONIC, 10);
	CHECK_EQ(pthread_cond_timedwait(cond, &m, &soon), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_EQ(pthread_mutex_unlock(&m), EPERM);
}

static void test(int type, int protocol)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, type));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, protocol));
	CHECK_OK(pthread_mutex_init(&m, &a));
	test_limits();
	if (type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE)
		test_owner(type == PTHREAD_MUTEX_RECURSIVE);
	test_wakes();
	test_cancel();
	CHECK_OK(pthread_mutex_destroy(&m));
}

/* While the parent's threads wait, hold and signal, too. */
static void child(void)
{
	pthread_t t;

	m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	cond = &make_objects(1)->cond;
	turn = entered = 0;
	t = spawn(waits_for_one_signal, NULL);
	WAIT_FOR(entered == 1);
	join(spawn(signals_holding_it, NULL));
	join(t);
}

int main(void)
{
	static const int kinds[][2] = {
		{ PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE }, { PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE },
		{ PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE }, { PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE },
		{ PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT },
	};
	enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
	pthread_t t[THREADS];

	cond = &make_objects(1)->cond;
	for (unsigned i = 0; i < KINDS; i++)
		if (is_due(i, KINDS))
			test(kinds[i][0], kinds[i][1]);
	CHECK_OK(pthread_mutex_init(&m, NULL));
	turn = rounds = 0;
	spawn_many(t, THREADS, by_turns);
	CHECK_EQ(in_child(child), 0);
	join_many(t, THREADS);
}
