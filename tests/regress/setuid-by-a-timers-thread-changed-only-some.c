// SPDX-License-Identifier: BSD-2-Clause
// A thread that libc makes for a timer (SIGEV_THREAD) changed the user of only those kernel threads that libc knew.
#include "../posix/harness.h"

enum { ID = 54321, WAITERS = 4 };

static atomic_bool is_changed;

static void changes(union sigval v UNUSED)
{
	CHECK_OK(setresgid(ID, ID, ID));
	CHECK_OK(setresuid(ID, ID, ID));
	is_changed = true;
}

static void check_ids(void)
{
	uid_t r, e, s;

	CHECK_OK(getresuid(&r, &e, &s));
	CHECK(r == ID && e == ID && s == ID);
	CHECK_EQ(getegid(), ID);
}

static void *waits(void *arg)
{
	while (!is_changed)
		arg ? sleep_ms(1) : (void)sched_yield();
	check_ids();
	return arg;
}

int main(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = changes };
	struct itimerspec v = { .it_value = ms_span(1) };
	pthread_t t[WAITERS];
	timer_t timer;

	if (getuid() != 0)
		skip("only root can change its user");
	spawn_many(t, WAITERS, waits);
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	join_many(t, WAITERS);
	WAIT_FOR(is_changed);
	check_ids();
	join(spawn(waits, NULL));
}
