// SPDX-License-Identifier: BSD-2-Clause
// A child that asks for a signal when its parent ends (PR_SET_PDEATHSIG) gets none while the thread that made it lives,
// whatever has become of others; and gets it when the process ends.
#include "../harness.h"
#include <sys/prctl.h>

enum { PARENTS = 60, OTHERS = 20 };

static int gate[2], alive[2];
static atomic_int held, made;
static atomic_bool over;
static pid_t children[PARENTS];

static void wait_in_the_kernel(void)
{
	char byte;

	held++;
	CHECK_EQ(syscall(SYS_read, gate[0], &byte, 1), 1);
}

/* It has just blocked in the kernel, so that kernel threads that are no longer needed have children. */
static void *has_a_child(void *arg)
{
	intptr_t i = (intptr_t)arg;

	wait_in_the_kernel();
	children[i] = fork();
	CHECK(children[i] >= 0);
	if (children[i] == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(alive[0]);
		CHECK_EQ(write(alive[1], "", 1), 1);
		for (;;)
			pause();
	}
	made++;
	while (!over)
		sleep_ms(5);
	return NULL;
}

/* They set their processors, for which they get kernel threads, and end. */
static void *binds(void *arg)
{
	cpu_set_t cpus;

	CHECK_OK(sched_getaffinity(0, sizeof(cpus), &cpus));
	for (int cpu = 0; CPU_COUNT(&cpus) > 1; cpu++)
		CPU_CLR(cpu, &cpus);
	CHECK_OK(sched_setaffinity(0, sizeof(cpus), &cpus));
	return arg;
}

static void process(void)
{
	pthread_t parents[PARENTS], others[OTHERS];

	spawn_many(parents, PARENTS, has_a_child);
	WAIT_FOR(held == PARENTS);
	for (int i = 0; i < PARENTS; i++)
		CHECK_EQ(write(gate[1], "", 1), 1);
	WAIT_FOR(made == PARENTS);
	for (int i = 0; i < PARENTS; i++) {
		char byte;

		CHECK_EQ(read(alive[0], &byte, 1), 1);
	}
	spawn_many(others, OTHERS, binds);
	join_many(others, OTHERS);
	sleep_ms(300);		/* for surplus kernel threads to go */
	for (int i = 0; i < PARENTS; i++) {
		int status = 0;
		pid_t ended = waitpid(children[i], &status, WNOHANG);

		CHECK_EQ(status, 0);
		CHECK_EQ(ended, 0);
	}
	_exit(0);
}

int main(void)
{
	char byte;

	CHECK_OK(pipe(gate));
	CHECK_OK(pipe(alive));
	CHECK_EQ(in_child(process), 0);
	close(alive[1]);
	CHECK_EQ(read(alive[0], &byte, 1), 0);		/* when the last child has gone */
}
