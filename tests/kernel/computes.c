// SPDX-License-Identifier: BSD-2-Clause
/*
 * computes MS [hog | fifo | many]: two threads compute for so long; beside a process that does too; or a single one
 * does, before all of the normal classes; or six do.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_bool is_over;

static void *compute(void *arg)
{
	while (!is_over)
		;
	return arg;
}

static pid_t start_hog(void)
{
	pid_t parent = getpid(), hog = fork();

	if (hog)
		return hog;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		for (volatile int i = 0; i < 1000000; i++)
			;
	_exit(0);
}

static int compute_before_all(long ms)
{
	struct sched_param one = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &one))
		return 1;
	alarm((unsigned)(ms / 1000));
	for (;;)
		;
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 1000;
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	if (argc > 2 && strcmp(argv[2], "fifo") == 0)
		return compute_before_all(ms);
	int n = argc > 2 && strcmp(argv[2], "many") == 0 ? 6 : 2;
	pid_t hog = argc > 2 && n == 2 ? start_hog() : 0;
	pthread_t threads[6];

	if (hog < 0)
		return 1;
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, compute, NULL))
			return 1;
	nanosleep(&t, NULL);
	is_over = true;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (hog) {
		kill(hog, SIGKILL);
		waitpid(hog, NULL, 0);
	}
	puts("done");
	return 0;
}
