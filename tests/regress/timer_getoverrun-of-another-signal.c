// SPDX-License-Identifier: BSD-2-Clause
// Expirations got lost where a timer's signal was blocked and unblocked again: what an idle kernel thread had taken
// was in nobody's queue while it was looked for whom it is, and timer_getoverrun spoke of that signal, or of the
// kernel's last one, when the handler of another asked.  And what waited for a thread was sent to the kernel again when a
// thread got a kernel thread of its own, as these do that only sleep: the kernel dropped it beside the timer's next one.
#include "../posix/harness.h"

enum { PERIOD_MS = 1, ROUNDS = 300, SLACK = 1, THREADS = 3 };
static atomic_long counted;
static atomic_int done;
static atomic_bool over;
static timer_t t;

static void handler(int sig UNUSED)
{
	counted += 1 + timer_getoverrun(t);
}

/* One toggles the timer's signal; the others another one, for which idle kernel threads have a look. */
static void *toggles(void *arg)
{
	int sig = arg ? SIGUSR2 : SIGUSR1;

	for (int i = 0; i < ROUNDS; i++) {
		block_signal(sig);
		sleep_ms(1 + i % 4);
		unblock_signal(sig);
	}
	done++;
	while (!over)
		sleep_ms(1);
	return NULL;
}

static long expirations(uint64_t since)
{
	return (long)((now_ns() - since) / (PERIOD_MS * 1000000ull));
}

int main(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec v = { .it_value = ms_span(PERIOD_MS), .it_interval = ms_span(PERIOD_MS) }, zero = { 0 };

	on_signal(SIGUSR1, handler, SA_RESTART);
	block_signal(SIGUSR1);
	block_signal(SIGUSR2);
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &t));
	uint64_t before = now_ns();
	CHECK_OK(timer_settime(t, 0, &v, NULL));
	uint64_t after = now_ns();
	pthread_t togglers[THREADS];

	spawn_many(togglers, THREADS, toggles);
	WAIT_FOR(done == THREADS);
	WAIT_FOR(counted >= expirations(after) - SLACK);	/* it goes on: what is lost stays lost */
	CHECK(counted <= expirations(before) + 1);
	CHECK_OK(timer_settime(t, 0, &zero, NULL));
	over = true;
	join_many(togglers, THREADS);
}
