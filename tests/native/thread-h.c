// SPDX-License-Identifier: BSD-2-Clause
/*
 * <upcall/thread.h>: threads that are suspended, their stacks and signal masks, main, keys that are made once, times,
 * and what is refused.
 */
#include <upcall/thread.h>

#include "check.h"

#include <signal.h>
#include <stdatomic.h>

static const struct timespec past = { -1, 0 }, soon = { 0, 2000000 }, far = { 1000, 0 };
static const struct timespec too_many = { 1, 1000000000 }, too_few = { 1, -1 };

static thread_t make(void *(*start)(void *), void *arg, long flags, size_t stack_bytes)
{
	thread_t t;

	CHECK_IS(thr_create(NULL, stack_bytes, start, arg, flags, &t), 0);
	return t;
}

static void *join_value(thread_t t)
{
	void *value;

	CHECK_IS(thr_join(t, NULL, &value), 0);
	return value;
}

static struct timespec time_of_day_in(long s)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += s;
	return t;
}

/* Stages that a thread has come to. */
static atomic_int stage;

static void await_stage(int wanted)
{
	while (stage != wanted)
		upcall_sleep(MS / 10);
}

static void check_stays_at(int wanted)
{
	upcall_sleep(20 * MS);
	CHECK_IS(stage, wanted);
}

static void *reach_one(void *arg)
{
	stage = 1;
	return arg;
}

static void test_born_suspended(long flags)
{
	stage = 0;
	thread_t t = make(reach_one, &stage, THR_SUSPENDED | flags, 0);

	check_stays_at(0);
	CHECK_IS(thr_continue(t), 0);
	if (flags & THR_DETACHED)
		await_stage(1);
	else
		CHECK(join_value(t) == &stage);
}

/* What continued it before it suspended itself has no effect, as on Solaris. */
static void *suspend_itself(void *arg)
{
	for (int i = 1; i < 3; i++) {
		CHECK_IS(thr_continue(thr_self()), 0);
		stage = i;
		CHECK_IS(thr_suspend(thr_self()), 0);
	}
	stage = 3;
	return arg;
}

static void test_suspends_itself(long flags)
{
	stage = 0;
	thread_t t = make(suspend_itself, NULL, flags, 0);

	for (int i = 1; i < 3; i++) {
		await_stage(i);
		check_stays_at(i);
		CHECK_IS(thr_suspend(t), ENOTSUP);
		CHECK_IS(thr_continue(t), 0);
	}
	join_value(t);
	CHECK_IS(stage, 3);
}

static size_t check_stack(void)
{
	char *here = __builtin_frame_address(0), *high;
	stack_t s = { .ss_flags = -1 };

	CHECK_IS(thr_stksegment(&s), 0);
	CHECK_IS(s.ss_flags, 0);
	high = s.ss_sp;
	CHECK(here < high && here > high - s.ss_size);
	return s.ss_size;
}

/* What was blocked when the first thread was made. */
static void check_mask(void)
{
	sigset_t mask;

	CHECK_IS(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
	CHECK(sigismember(&mask, SIGUSR2) && !sigismember(&mask, SIGUSR1));
}

static void *look_around(void *wanted)
{
	size_t bytes = check_stack();

	check_mask();

	CHECK_IS(thr_main(), 0);
	if (upcall_vproc() >= 0)		/* a tool or a kernel thread of its own may have more */
		CHECK(bytes > (size_t)wanted / 2 && bytes <= (size_t)wanted);
	return wanted;
}

static void *nothing(void *arg)
{
	return arg;
}

static void test_stacks(void)
{
	enum { BYTES = 512 * 1024 };

	CHECK_IS(thr_main(), 1);
	check_stack();
	for (long flags = 0; flags <= THR_BOUND; flags += THR_BOUND)
		join_value(make(look_around, (void *)BYTES, flags, BYTES));
	CHECK_IS(THR_MIN_STACK, thr_min_stack());
	join_value(make(look_around, (void *)thr_min_stack(), 0, thr_min_stack()));
	join_value(make(look_around, (void *)thr_min_stack(), 0, 1));
}

enum { KEYS = 40, MAKERS = 2 };
static thread_key_t once[KEYS];
static atomic_int arrived, destroyed;

static void destroy(void *value)
{
	CHECK(value == &destroyed);
	destroyed++;
}

static void *make_keys(void *arg)
{
	void *value;

	for (int i = 0; i < KEYS; i++) {
		arrived++;
		for (int spins = 0; arrived < (i + 1) * MAKERS; spins++)	/* all at once */
			if (spins > 10000)
				thr_yield();
		CHECK_IS(thr_keycreate_once(&once[i], destroy), 0);
		thread_key_t key = once[i];

		CHECK_IS(thr_setspecific(key, &destroyed), 0);
		CHECK_IS(thr_getspecific(once[i], &value), 0);
		CHECK(value == &destroyed && once[i] == key);
	}
	return arg;
}

static unsigned keys_left(void)
{
	static thread_key_t rest[UPCALL_KEYS_MAX];
	thread_key_t one_more = THR_ONCE_KEY;
	unsigned n = 0;

	while (n < UPCALL_KEYS_MAX && thr_keycreate(&rest[n], NULL) == 0)
		n++;
	CHECK_IS(thr_keycreate_once(&one_more, NULL), EAGAIN);
	CHECK(one_more == THR_ONCE_KEY);
	for (unsigned i = 0; i < n; i++)
		CHECK_IS(upcall_key_delete(rest[i]), 0);
	return n;
}

static void test_keys(void)
{
	unsigned left = keys_left();
	thread_t t[MAKERS];

	for (int i = 0; i < KEYS; i++)
		once[i] = THR_ONCE_KEY;
	for (int i = 0; i < MAKERS; i++)
		t[i] = make(make_keys, NULL, THR_BOUND, 0);
	for (int i = 0; i < MAKERS; i++)
		join_value(t[i]);
	CHECK_IS(destroyed, KEYS * MAKERS);
	CHECK_IS(keys_left(), left - KEYS);
}

static sema_t sema = DEFAULTSEMA;

static void *post_later(void *arg)
{
	upcall_sleep(10 * MS);
	CHECK_IS(sema_post(&sema), 0);
	return arg;
}

static void test_semaphore(void)
{
	struct timespec end = time_of_day_in(1000), now = time_of_day_in(0);
	uint64_t since = upcall_now();

	CHECK_IS(sema_reltimedwait(&sema, &soon), ETIME);
	check_took(since, 2 * MS);
	CHECK_IS(sema_reltimedwait(&sema, &past), ETIME);
	CHECK_IS(sema_timedwait(&sema, &now), ETIME);
	CHECK_IS(sema_timedwait(&sema, &past), ETIME);
	for (int i = 0; i < 2; i++) {
		const struct timespec *bad = i ? &too_many : &too_few;

		CHECK_IS(sema_post(&sema), 0);
		CHECK_IS(sema_reltimedwait(&sema, bad), EINVAL);
		CHECK_IS(sema_timedwait(&sema, bad), EINVAL);
		CHECK_IS(i ? sema_timedwait(&sema, &past) : sema_reltimedwait(&sema, &past), 0);
	}
	CHECK_IS(sema_trywait(&sema), EBUSY);
	thread_t t = make(post_later, NULL, 0, 0);

	CHECK_IS(sema_reltimedwait(&sema, &far), 0);
	join_value(t);
	t = make(post_later, NULL, 0, 0);
	CHECK_IS(sema_timedwait(&sema, &end), 0);
	join_value(t);
	CHECK_IS(sema_init(&sema, 1, USYNC_PROCESS, NULL), EINVAL);
	CHECK_IS(sema_trywait(&sema), EBUSY);
	CHECK_IS(sema_init(&sema, 1, USYNC_THREAD, NULL), 0);
	CHECK_IS(sema_trywait(&sema), 0);
	CHECK_IS(sema_destroy(&sema), 0);
}

static mutex_t mutex = DEFAULTMUTEX;

static void *check_is_held(void *arg)
{
	CHECK_IS(mutex_trylock(&mutex), EBUSY);
	return arg;
}

static void test_condition(void)
{
	static cond_t cond = DEFAULTCV;

	CHECK_IS(cond_init(&cond, USYNC_PROCESS, NULL), EINVAL);
	CHECK_IS(cond_init(&cond, USYNC_THREAD, NULL), 0);
	CHECK_IS(mutex_lock(&mutex), 0);
	CHECK_IS(cond_reltimedwait(&cond, &mutex, &too_many), EINVAL);
	CHECK_IS(cond_reltimedwait(&cond, &mutex, &too_few), EINVAL);
	CHECK_IS(cond_timedwait(&cond, &mutex, &too_many), EINVAL);
	CHECK_IS(cond_timedwait(&cond, &mutex, &too_few), EINVAL);
	CHECK_IS(cond_reltimedwait(&cond, &mutex, &past), ETIME);
	CHECK_IS(cond_timedwait(&cond, &mutex, &past), ETIME);
	join_value(make(check_is_held, NULL, 0, 0));
	CHECK_IS(mutex_unlock(&mutex), 0);
	CHECK_IS(cond_destroy(&cond), 0);
}

static void *unlock_anothers(void *arg)
{
	CHECK_IS(mutex_unlock(&mutex), EPERM);
	return arg;
}

static void test_kinds_of_mutexes(void)
{
	static const int refused[] = { USYNC_PROCESS, LOCK_ROBUST, LOCK_PRIO_PROTECT, LOCK_RECURSIVE | LOCK_ROBUST, 0x1000 };

	CHECK_IS(mutex_lock(&mutex), 0);
	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		CHECK_IS(mutex_init(&mutex, refused[i], NULL), EINVAL);
	CHECK_IS(mutex_trylock(&mutex), EBUSY);		/* and is as it was */
	CHECK_IS(mutex_unlock(&mutex), 0);
	CHECK_IS(mutex_init(&mutex, LOCK_PRIO_INHERIT | LOCK_ERRORCHECK, NULL), 0);
	CHECK_IS(mutex_lock(&mutex), 0);
	CHECK_IS(mutex_lock(&mutex), EDEADLK);
	CHECK_IS(mutex_unlock(&mutex), 0);
	CHECK_IS(mutex_init(&mutex, LOCK_RECURSIVE | LOCK_ERRORCHECK, NULL), 0);
	CHECK_IS(mutex_lock(&mutex), 0);
	CHECK_IS(mutex_lock(&mutex), 0);
	join_value(make(unlock_anothers, NULL, 0, 0));
	CHECK_IS(mutex_unlock(&mutex), 0);
	CHECK_IS(mutex_unlock(&mutex), 0);
	CHECK_IS(mutex_unlock(&mutex), EPERM);
}

static void test_refused(void)
{
	static rwlock_t lock = DEFAULTRWLOCK;
	static char stack[65536];
	thread_t t;

	CHECK_IS(thr_create(NULL, 0, nothing, NULL, THR_DAEMON, &t), ENOTSUP);
	CHECK_IS(thr_create(stack, sizeof(stack), nothing, NULL, 0, &t), ENOTSUP);
	CHECK_IS(thr_join(0, NULL, NULL), ENOTSUP);
	CHECK_IS(rw_wrlock(&lock), 0);
	CHECK_IS(rwlock_init(&lock, USYNC_PROCESS, NULL), EINVAL);
	CHECK_IS(rw_tryrdlock(&lock), EBUSY);
	CHECK_IS(rw_unlock(&lock), 0);
}

/* Once with as many vprocs as there are to be, once with one. */
static void test(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;

	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	CHECK_IS(pthread_sigmask(SIG_BLOCK, &mask, NULL), 0);
	options.vprocs = test_flags ? 1 : 0;
	CHECK_IS(thr_main(), 1);		/* before there are others, too */
	CHECK_IS(upcall_init(&options), 0);
	for (long flags = 0; flags <= THR_BOUND; flags += THR_BOUND) {
		test_born_suspended(flags);
		test_born_suspended(flags | THR_DETACHED);
		test_suspends_itself(flags);
	}
	test_stacks();
	test_keys();
	test_semaphore();
	test_condition();
	test_kinds_of_mutexes();
	test_refused();
}
