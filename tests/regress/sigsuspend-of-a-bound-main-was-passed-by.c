// SPDX-License-Identifier: BSD-2-Clause
// Main, on a kernel thread of its own, blocked a signal and waited for it in sigsuspend or ppoll: others did not know that it
// admitted it then, and handled the signals of the process, so that main waited on.
#include "../posix/on_main.h"
#include <poll.h>
#include <sys/mman.h>

enum { TIMES = 10, N = 4, TRIES = 5 };

static pid_t main_process;
static atomic_int *woken;		/* how often; shared with children */

/* What comes before main waits is another's, on libc's threads, too: then again. */
static void send_until_woken(int before)
{
	for (int tries = 0; *woken == before; tries++) {
		CHECK(tries < TRIES);
		sleep_ms(tries ? 1000 : 20);
		if (*woken == before)
			CHECK_OK(kill(main_process, SIGUSR1));
		for (int i = 0; i < 100 && *woken == before; i++)
			sleep_ms(5);
	}
}

static void *kills(void *arg)
{
	send_until_woken(*woken);
	return arg;
}

static void wait_for_one(bool polls)
{
	sigset_t none;
	int before = on_main;

	sigemptyset(&none);
	while (on_main == before) {
		if (polls)
			CHECK_ERRNO(ppoll(NULL, 0, NULL, &none), EINTR);
		else
			CHECK_ERRNO(sigsuspend(&none), EINTR);
	}
	++*woken;
}

int main(void)
{
	const struct sched_param none = { 0 };
	pthread_t t[N];
	sigset_t set;

	main_thread = pthread_self();
	main_process = getpid();
	woken = mmap(NULL, sizeof(*woken), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(woken != MAP_FAILED);
	on_signal(SIGUSR1, handler, 0);
	spawn_many(t, N, computes);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK_OK(sigprocmask(SIG_BLOCK, &set, NULL));
	CHECK_OK(sched_setscheduler(0, SCHED_BATCH, &none));
	for (int i = 0; i < TIMES; i++) {
		int before = *woken;
		pid_t child = fork();

		if (child == 0) {
			send_until_woken(before);
			_exit(0);
		}
		wait_for_one(i % 2);
		CHECK_EQ(waitpid(child, NULL, 0), child);

		pthread_t killer = spawn(kills, NULL);

		wait_for_one(i % 2);
		join(killer);
	}
	stop = true;
	join_many(t, N);
}
