// SPDX-License-Identifier: BSD-2-Clause
// Who sends a signal queues it, and then tells the receiver by another of the same number. Where that one had taken the
// first meanwhile, and the action was the default again, by SA_RESETHAND or by whom the handler had woken, the second
// ended the process.
#include "../posix/harness.h"

enum { SIGNALS = 6000 };

static sem_t handled;
static atomic_bool is_over;

static void wakes(int sig UNUSED)
{
	CHECK_OK(sem_post(&handled));
}

/* It is about to return when main has set the default. */
static void wakes_and_stays(int sig)
{
	wakes(sig);
	for (uint64_t end = now_ns() + 20000; now_ns() < end;)
		;
}

static void *yields(void *arg)
{
	while (!is_over)
		sched_yield();
	return arg;
}

static void wait_for_handler(void)
{
	while (sem_wait(&handled) == -1)
		CHECK_EQ(errno, EINTR);
}

static void child(void)
{
	int n = share_of(SIGNALS);
	pthread_t t;

	CHECK_OK(sem_init(&handled, 0, 0));
	t = spawn(yields, NULL);
	for (int i = 0; i < n; i++) {
		on_signal(SIGUSR1, wakes, SA_RESETHAND);
		CHECK_OK(pthread_kill(t, SIGUSR1));
		wait_for_handler();
	}
	for (int i = 0; i < n / 4; i++) {
		on_signal(SIGUSR2, wakes_and_stays, 0);
		CHECK_OK(pthread_kill(t, SIGUSR2));
		wait_for_handler();
		on_signal(SIGUSR2, SIG_DFL, 0);
	}
	is_over = true;
	join(t);
}

int main(void)
{
	CHECK_EQ(in_child(child), 0);
}
