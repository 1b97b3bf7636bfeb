// SPDX-License-Identifier: BSD-2-Clause
// A mutex that a thread gave up to wait on a condition is in use: pthread_mutex_destroy says EBUSY, and
// succeeds when the wait is over and the mutex is free.
#include "../harness.h"

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool waits, done;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&m));
	waits = true;
	while (!done)
		CHECK_OK(pthread_cond_wait(&c, &m));
	CHECK_OK(pthread_mutex_unlock(&m));
	return NULL;
}

static void until_it_waits(void)
{
	bool yes = false;

	while (!yes) {
		CHECK_OK(pthread_mutex_lock(&m));
		yes = waits;
		CHECK_OK(pthread_mutex_unlock(&m));
		if (!yes)
			sleep_ms(1);
	}
}

static void check(int type, int protocol, bool by_cancel)
{
	pthread_mutexattr_t a;
	pthread_t t;

	waits = done = false;
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, type));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, protocol));
	CHECK_OK(pthread_mutex_init(&m, &a));
	t = spawn(body, NULL);
	until_it_waits();
	CHECK_EQ(pthread_mutex_destroy(&m), EBUSY);
	if (by_cancel) {
		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
		CHECK_EQ(pthread_mutex_destroy(&m), EBUSY);	/* it was cancelled with the mutex locked */
		return;
	}
	CHECK_OK(pthread_mutex_lock(&m));
	done = true;
	CHECK_OK(pthread_cond_signal(&c));
	CHECK_OK(pthread_mutex_unlock(&m));
	join(t);
	CHECK_OK(pthread_mutex_destroy(&m));
}

int main(void)
{
	const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
			      PTHREAD_MUTEX_ADAPTIVE_NP };

	for (int i = 0; i < 4; i++) {
		check(types[i], PTHREAD_PRIO_NONE, false);
		check(types[i], PTHREAD_PRIO_INHERIT, false);
	}
	check(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, true);
}
