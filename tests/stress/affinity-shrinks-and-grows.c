// SPDX-License-Identifier: BSD-2-Clause
// While threads compute, wait and sleep, somebody outside moves all kernel threads of the process to
// one CPU and back, as taskset -a does: everything goes on, on the CPUs that are allowed.
#include "stress.h"
#include <dirent.h>

#define COMPUTERS 3
#define SLEEPERS 6
#define CHANGES 12

static atomic_ulong progress[COMPUTERS + SLEEPERS];
static atomic_bool stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *computer(void *arg)
{
	while (!stop) {
		for (volatile int i = 0; i < 2000; i++)
			;
		progress[(intptr_t)arg]++;
	}
	return NULL;
}

static void *sleeper(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);
	struct timespec t = { .tv_nsec = 1000000 };

	while (!stop) {
		CHECK_OK(pthread_mutex_lock(&lock));
		dawdle(&r);
		CHECK_OK(pthread_mutex_unlock(&lock));
		if (pick(&r, 4) == 0)
			raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
		else
			usleep(1000);
		progress[COMPUTERS + (intptr_t)arg]++;
	}
	return NULL;
}

/* In a child: every kernel thread of its parent. */
static void move_all(pid_t pid, const cpu_set_t *set)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	d = opendir(path);
	CHECK(d != NULL);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && sched_setaffinity(atoi(e->d_name), sizeof *set, set) == -1)
			CHECK_EQ(errno, ESRCH);
	closedir(d);
}

static void everybody_gets_on(void)
{
	unsigned long before[COMPUTERS + SLEEPERS];

	for (int i = 0; i < COMPUTERS + SLEEPERS; i++)
		before[i] = progress[i];
	for (int i = 0; i < COMPUTERS + SLEEPERS; i++)
		WAIT_FOR(progress[i] > before[i] + 1);
}

/* The helper is made before the threads: it only waits for a byte each time. */
static pid_t start_helper(int *ret_ask, int *ret_answer, const cpu_set_t *sets)
{
	pid_t parent = getpid(), pid;
	int ask[2], answer[2];
	char which;

	CHECK_OK(pipe(ask));
	CHECK_OK(pipe(answer));
	pid = fork();
	CHECK(pid >= 0);
	if (pid) {
		close(ask[0]);
		close(answer[1]);
		*ret_ask = ask[1];
		*ret_answer = answer[0];
		return pid;
	}
	close(ask[1]);
	close(answer[0]);
	while (read(ask[0], &which, 1) == 1) {
		move_all(parent, &sets[(int)which]);
		CHECK_EQ(write(answer[1], "x", 1), 1);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	pthread_t c[COMPUTERS], s[SLEEPERS];
	cpu_set_t sets[3];
	int ask, answer, ncpus, first = -1, last = -1, status;
	char x;

	stress_seed(argc, argv);
	CHECK_OK(sched_getaffinity(0, sizeof sets[0], &sets[0]));
	ncpus = CPU_COUNT(&sets[0]);
	if (ncpus < 2)
		skip("one CPU only");
	CPU_ZERO(&sets[1]);
	CPU_ZERO(&sets[2]);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &sets[0])) {
			first = first < 0 ? cpu : first;
			last = cpu;
		}
	CPU_SET(first, &sets[1]);
	CPU_SET(last, &sets[2]);
	pid_t helper = start_helper(&ask, &answer, sets);

	spawn_many(c, COMPUTERS, computer);
	spawn_many(s, SLEEPERS, sleeper);
	for (int i = 0; i < CHANGES; i++) {
		char which = (char)(i % 3);

		CHECK_EQ(write(ask, &which, 1), 1);
		CHECK_EQ(read(answer, &x, 1), 1);
		everybody_gets_on();
		sleep_ms(300);		/* who follows the mask looks a few times a second */
		everybody_gets_on();
	}
	stop = true;
	join_many(c, COMPUTERS);
	join_many(s, SLEEPERS);
	close(ask);
	CHECK(waitpid(helper, &status, 0) == helper && status == 0);
}
