// SPDX-License-Identifier: BSD-2-Clause
// Where threads are the kernel's, one whose cancellation is asynchronous was unwound out of the runtime amid its wait:
// its cleanup handlers ran without the mutex, and it stayed in the queue, where wake-ups for others were lost on it.
#include "../posix/harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static unsigned word;
static bool held;
static atomic_int waiting;

static void unlock(void *arg UNUSED)
{
	CHECK(!held);
	CHECK_OK(pthread_mutex_unlock(&m));
}

static void asynchronous(void)
{
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	waiting++;
}

static void *in_cond(void *arg)
{
	asynchronous();
	CHECK_OK(pthread_mutex_lock(&m));
	pthread_cleanup_push(unlock, NULL);
	for (;;)
		pthread_cond_wait(&cond, &m);
	pthread_cleanup_pop(0);
	return arg;
}

static void wait_on(intptr_t what)
{
	if (what == 0)
		pthread_mutex_lock(&m);
	else if (what == 1)
		sem_wait(&sem);
	else
		syscall(SYS_futex, &word, 128, 0, NULL, NULL, 0);	/* FUTEX_WAIT_PRIVATE */
}

static void *cancelled(void *what)
{
	asynchronous();
	wait_on((intptr_t)what);
	while (waiting)
		pause();
	return what;
}

static void *woken(void *what)
{
	waiting++;
	wait_on((intptr_t)what);
	return what;
}

static void wake(intptr_t what)
{
	if (what == 0) {
		CHECK_OK(pthread_mutex_unlock(&m));
	} else if (what == 1) {
		CHECK_OK(sem_post(&sem));
	} else {
		word = 1;
		CHECK(syscall(SYS_futex, &word, 129, 1, NULL, NULL, 0) <= 1);	/* FUTEX_WAKE_PRIVATE */
	}
}

static void test_queue(intptr_t what)
{
	pthread_t first, second;

	waiting = 0;
	if (what == 0)
		CHECK_OK(pthread_mutex_lock(&m));
	first = spawn(cancelled, (void *)what);
	WAIT_FOR(waiting == 1);
	settle();
	second = spawn(woken, (void *)what);
	WAIT_FOR(waiting == 2);
	settle();
	CHECK_OK(pthread_cancel(first));
	CHECK(join(first) == PTHREAD_CANCELED);
	wake(what);
	join(second);
	if (what == 0)
		pthread_mutex_init(&m, NULL);
}

int main(void)
{
	pthread_t t = spawn(in_cond, NULL);

	CHECK_OK(sem_init(&sem, 0, 0));
	WAIT_FOR(waiting == 1);
	settle();
	CHECK_OK(pthread_mutex_lock(&m));
	held = true;
	CHECK_OK(pthread_cancel(t));
	settle();
	CHECK_EQ(pthread_mutex_trylock(&m), EBUSY);
	held = false;
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK(join(t) == PTHREAD_CANCELED);
	for (intptr_t what = 0; what < 3; what++)
		test_queue(what);
}
