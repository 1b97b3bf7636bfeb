// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_cond_destroy: a condition can be destroyed immediately after all who are blocked on it have been
// woken, with the mutex held or not; its memory goes at once, though they may not have returned from their waits yet.
#include "../disposed.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int waiting;
static bool is_told;

static void make(void *c, int round)
{
	pthread_condattr_t a;

	CHECK_OK(pthread_condattr_init(&a));
	CHECK_OK(pthread_condattr_setpshared(&a, disposed_is_shared(round)));
	CHECK_OK(pthread_condattr_setclock(&a, round & 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME));
	CHECK_OK(pthread_cond_init(c, &a));
	waiting = 0;
	is_told = false;
}

static void end(pthread_cond_t *c, int round)
{
	CHECK_OK(pthread_cond_destroy(c));
	dispose(c, round);
}

static void tell(pthread_cond_t *c, int round)
{
	bool holds = round / 3 % 2;

	CHECK_OK(pthread_mutex_lock(&lock));
	while (waiting < DISPOSED_USERS - 1) {
		CHECK_OK(pthread_mutex_unlock(&lock));
		sched_yield();
		CHECK_OK(pthread_mutex_lock(&lock));
	}
	is_told = true;
	CHECK_OK(pthread_cond_broadcast(c));
	if (holds)
		end(c, round);
	CHECK_OK(pthread_mutex_unlock(&lock));
	if (!holds)
		end(c, round);
}

/* One has a time limit that may be over before. */
static void wait_for(pthread_cond_t *c, bool is_short, int round)
{
	struct timespec soon = in_ms(round & 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME, round % 2);
	int rc = is_short ? pthread_cond_timedwait(c, &lock, &soon) : pthread_cond_wait(c, &lock);

	CHECK(rc == 0 || (is_short && rc == ETIMEDOUT));
}

static void use(void *c, int user, int round)
{
	int teller = round % DISPOSED_USERS;

	if (user == teller) {
		tell(c, round);
		return;
	}
	CHECK_OK(pthread_mutex_lock(&lock));
	waiting++;
	while (!is_told)
		wait_for(c, user == (teller + 1) % DISPOSED_USERS, round);
	CHECK_OK(pthread_mutex_unlock(&lock));
}

int main(void)
{
	disposed_run((struct disposed){ make, use });
}
