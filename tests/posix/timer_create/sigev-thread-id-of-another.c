// SPDX-License-Identifier: BSD-2-Clause
// SIGEV_THREAD_ID may name any thread of the process: one that waits on a condition, one that
// computes, one that sleeps.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int tids[3], calls[3], wrong;
static atomic_bool over;
static __thread int number = -1;

static void handler(int sig UNUSED, siginfo_t *info, void *uc UNUSED)
{
	if (info->si_value.sival_int != number || info->si_code != SI_TIMER)
		wrong++;
	else
		calls[number]++;
}

static void *body(void *arg)
{
	number = (int)(intptr_t)arg;
	tids[number] = (int)syscall(SYS_gettid);
	if (number == 0) {
		CHECK_OK(pthread_mutex_lock(&lock));
		while (!over)
			CHECK_OK(pthread_cond_wait(&cond, &lock));
		CHECK_OK(pthread_mutex_unlock(&lock));
	} else if (number == 1) {
		while (!over)
			;
	} else {
		while (!over)
			sleep_ms(2000);
	}
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerspec v = { .it_interval = ms_span(3), .it_value = ms_span(3) };
	timer_t timers[3];
	pthread_t t[3];

	CHECK_OK(sigaction(SIGRTMIN + 3, &sa, NULL));
	spawn_many(t, 3, body);
	for (int i = 0; i < 3; i++) {
		struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3 };

		WAIT_FOR(tids[i]);
		e.sigev_value.sival_int = i;
		e._sigev_un._tid = tids[i];
		CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timers[i]));
		CHECK_OK(timer_settime(timers[i], 0, &v, NULL));
	}
	WAIT_FOR(calls[0] >= 5 && calls[1] >= 5 && calls[2] >= 5);
	for (int i = 0; i < 3; i++)
		CHECK_OK(timer_delete(timers[i]));
	over = true;
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&lock));
	join_many(t, 3);
	CHECK_EQ(wrong, 0);
}
