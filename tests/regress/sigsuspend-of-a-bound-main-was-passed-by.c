// SPDX-License-Identifier: BSD-2-Clause
// Main, on a kernel thread of its own, blocked a signal and waited for it in sigsuspend or ppoll: others did not know that it
// admitted it then, and handled the signals of the process, so that main waited on.
#include "../posix/harness.h"
#include <poll.h>

enum { TIMES = 10, N = 4 };

static pthread_t main_thread;
static atomic_int on_main, elsewhere;
static atomic_bool stop;

static void handler(int sig UNUSED)
{
	if (pthread_equal(pthread_self(), main_thread))
		on_main++;
	else
		elsewhere++;
}

static void *computes(void *arg)
{
	while (!stop)
		;
	return arg;
}

static void *kills(void *arg)
{
	sleep_ms(20);
	CHECK_OK(kill(getpid(), SIGUSR1));
	return arg;
}

static void wait_for(int n, bool polls)
{
	sigset_t none;

	sigemptyset(&none);
	while (on_main < n) {
		if (polls)
			CHECK_ERRNO(ppoll(NULL, 0, NULL, &none), EINTR);
		else
			CHECK_ERRNO(sigsuspend(&none), EINTR);
	}
	CHECK_EQ(elsewhere, 0);
}

int main(void)
{
	const struct sched_param none = { 0 };
	pthread_t t[N];
	sigset_t set;
	int n = 0;

	main_thread = pthread_self();
	on_signal(SIGUSR1, handler, 0);
	spawn_many(t, N, computes);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK_OK(sigprocmask(SIG_BLOCK, &set, NULL));
	CHECK_OK(sched_setscheduler(0, SCHED_BATCH, &none));
	for (int i = 0; i < TIMES; i++) {
		pid_t child = fork();

		if (child == 0) {
			sleep_ms(20);
			kill(getppid(), SIGUSR1);
			_exit(0);
		}
		wait_for(++n, i % 2);
		CHECK_EQ(waitpid(child, NULL, 0), child);
		CHECK_OK(sigprocmask(SIG_UNBLOCK, &set, NULL));

		pthread_t killer = spawn(kills, NULL);

		CHECK_OK(sigprocmask(SIG_BLOCK, &set, NULL));
		wait_for(++n, i % 2);
		join(killer);
	}
	stop = true;
	join_many(t, N);
}
