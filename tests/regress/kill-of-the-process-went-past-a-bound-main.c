// SPDX-License-Identifier: BSD-2-Clause
// Main had a kernel thread of its own, since it had set its policy (or waited in the kernel for long): signals of the process
// were handled by whichever thread the kernel gave them to.
#include "../posix/on_main.h"
#include <sys/time.h>

enum { TIMES = 10, SOON_MS = 20, N = 4 };

static void *kills(void *arg)
{
	sleep_ms(SOON_MS);
	CHECK_OK(kill(getpid(), SIGUSR1));
	return arg;
}

static void sleep_until(int n)
{
	while (on_main + elsewhere < n)
		nanosleep(&(struct timespec){ 0, 100000000 }, NULL);	/* it may come just before */
	CHECK_EQ(elsewhere, 0);
}

int main(void)
{
	const struct itimerval soon = { .it_value = { 0, SOON_MS * 1000 } };
	const struct sched_param none = { 0 };
	pthread_t unbound[N], bound;
	int n = 0;

	main_thread = pthread_self();
	on_signal(SIGUSR1, handler, 0);
	on_signal(SIGALRM, handler, 0);
	spawn_many(unbound, N, computes);
	CHECK_OK(sched_setscheduler(0, SCHED_BATCH, &none));
	bound = spawn(computes, NULL);		/* as its maker */
	for (int i = 0; i < TIMES; i++) {
		pid_t child = fork();

		if (child == 0) {
			sleep_ms(SOON_MS);
			kill(getppid(), SIGUSR1);
			_exit(0);
		}
		sleep_until(++n);
		CHECK_EQ(waitpid(child, NULL, 0), child);
		CHECK_OK(setitimer(ITIMER_REAL, &soon, NULL));
		sleep_until(++n);

		pthread_t killer = spawn(kills, NULL);

		sleep_until(++n);
		join(killer);
	}
	stop = true;
	join_many(unbound, N);
	join(bound);
}
