// SPDX-License-Identifier: BSD-2-Clause
// Another program computes on the CPU that the vproc is tied to, and another CPU idles: it moves there.
#include "../posix/harness.h"

#include <sys/wait.h>

enum { WINDOWS = 40, WINDOW_MS = 500, GOOD_WINDOWS = 3 };

static atomic_bool stop;

static void *spin(void *arg)
{
	while (!stop)
		;
	return arg;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	CHECK_OK(clock_gettime(clock, &t));
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds for which the processors of `set` were idle. */
static double idle_seconds(const cpu_set_t *set)
{
	char line[512];
	double ticks = 0;
	FILE *f = fopen("/proc/stat", "r");

	CHECK(f != NULL);
	while (fgets(line, sizeof line, f)) {
		unsigned cpu, v[5];

		if (sscanf(line, "cpu%u %u %u %u %u %u", &cpu, &v[0], &v[1], &v[2], &v[3], &v[4]) == 6 &&
		    cpu < CPU_SETSIZE && CPU_ISSET(cpu, set))
			ticks += v[3] + v[4];
	}
	fclose(f);
	return ticks / (double)sysconf(_SC_CLK_TCK);
}

/* What of a processor the process left unused though it was to be had. */
static double unused(const cpu_set_t *set)
{
	double start = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID), idle = idle_seconds(set);

	sleep_ms(WINDOW_MS);
	double span = seconds(CLOCK_MONOTONIC) - start;

	used = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
	idle = idle_seconds(set) - idle;
	return (span - used < idle ? span - used : idle) / span;
}

static pid_t compute_on(int cpu)
{
	pid_t pid = fork_watched();

	if (pid == 0) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		CHECK_OK(sched_setaffinity(0, sizeof one, &one));
		for (;;)
			;
	}
	return pid;
}

int main(void)
{
	pthread_t t[2];
	int good = 0, windows = 0;
	cpu_set_t set;

	CHECK_OK(sched_getaffinity(0, sizeof set, &set));
	spawn_many(t, 2, spin);
	sleep_ms(100);
	pid_t other = compute_on(sched_getcpu());

	for (; good < GOOD_WINDOWS && windows < WINDOWS; windows++) {
		double left = unused(&set);

		printf("%.2f ", left);
		good = left < 0.12 ? good + 1 : 0;
	}
	printf("\n");
	CHECK_OK(kill(other, SIGKILL));
	CHECK_EQ(waitpid(other, NULL, 0), other);
	stop = true;
	join_many(t, 2);
	CHECK_EQ(good, GOOD_WINDOWS);
}
