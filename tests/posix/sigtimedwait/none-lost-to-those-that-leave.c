// SPDX-License-Identifier: BSD-2-Clause
// Many threads wait with short limits, over and over: what comes when one is leaving goes to another.
#include "../harness.h"

#define N 50
#define SIGNALS 2000

static atomic_int got, sum;
static atomic_bool is_over;

static void *body(void *arg)
{
	sigset_t s = set_of(SIGRTMIN);
	struct timespec limit = ms_span(1 + (intptr_t)arg % 3);
	siginfo_t info;

	while (!is_over) {
		int sig = sigtimedwait(&s, &info, &limit);

		if (sig == -1) {
			CHECK(errno == EAGAIN || errno == EINTR);	/* Linux: another one was faster */
			continue;
		}
		CHECK_EQ(sig, SIGRTMIN);
		sum += info.si_value.sival_int;
		got++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	int want = 0;

	block_signal(SIGRTMIN);
	spawn_many(t, N, body);
	for (int i = 0; i < SIGNALS; i++) {
		while (sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i })) {
			CHECK_EQ(errno, EAGAIN);
			sched_yield();
		}
		want += i;
		if (i % 100 == 0)
			sleep_ms(2);
	}
	WAIT_FOR(got == SIGNALS);
	is_over = true;
	join_many(t, N);
	CHECK_EQ(sum, want);
}
