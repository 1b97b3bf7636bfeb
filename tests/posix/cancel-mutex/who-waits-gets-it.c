// SPDX-License-Identifier: BSD-2-Clause
// Waits for barriers, read-write locks and mutexes are no cancellation points (POSIX, 2.9.5.2), timed or not: who is
// cancelled there goes on waiting, gets what it waits for, and ends at its next cancellation point.
#include "../harness.h"

static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct timespec at;
static atomic_bool entered, has;
static atomic_int serial;

static void waits_for_barrier(void)
{
	int r = pthread_barrier_wait(&barrier);

	CHECK(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
	serial += r == PTHREAD_BARRIER_SERIAL_THREAD;
}

static void pass_barrier(void)
{
	waits_for_barrier();
}

static void reads(void)
{
	CHECK_OK(pthread_rwlock_rdlock(&rwlock));
	CHECK_OK(pthread_rwlock_unlock(&rwlock));
}

static void reads_timed(void)
{
	CHECK_OK(pthread_rwlock_timedrdlock(&rwlock, &at));
	CHECK_OK(pthread_rwlock_unlock(&rwlock));
}

static void writes_timed(void)
{
	CHECK_OK(pthread_rwlock_timedwrlock(&rwlock, &at));
	CHECK_OK(pthread_rwlock_unlock(&rwlock));
}

static void locks_timed(void)
{
	CHECK_OK(pthread_mutex_timedlock(&mutex, &at));
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void hold_rwlock(void)
{
	CHECK_OK(pthread_rwlock_wrlock(&rwlock));
}

static void leave_rwlock(void)
{
	CHECK_OK(pthread_rwlock_unlock(&rwlock));
}

static void hold_mutex(void)
{
	CHECK_OK(pthread_mutex_lock(&mutex));
}

static void leave_mutex(void)
{
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void *body(void *arg)
{
	void (**waits)(void) = arg;

	entered = true;
	(*waits)();
	has = true;
	pthread_testcancel();
	return NULL;
}

/* Main holds what the thread waits for, and leaves it. */
static void check(void (*hold)(void), void (*waits)(void), void (*leave)(void))
{
	pthread_t t;

	entered = has = false;
	if (hold)
		hold();
	t = spawn(body, &waits);
	WAIT_FOR(entered);
	settle();
	CHECK_OK(pthread_cancel(t));
	settle();
	CHECK(!has);
	CHECK_EQ(pthread_tryjoin_np(t, NULL), EBUSY);
	leave();
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(has);
}

int main(void)
{
	at = in_ms(CLOCK_REALTIME, 2 * WATCHDOG_SECONDS * 1000L);
	CHECK_OK(pthread_barrier_init(&barrier, NULL, 2));
	check(NULL, waits_for_barrier, pass_barrier);
	CHECK_EQ(serial, 1);
	check(hold_rwlock, reads, leave_rwlock);
	check(hold_rwlock, reads_timed, leave_rwlock);
	check(hold_rwlock, writes_timed, leave_rwlock);
	check(hold_mutex, locks_timed, leave_mutex);
	CHECK_OK(pthread_barrier_destroy(&barrier));
}
