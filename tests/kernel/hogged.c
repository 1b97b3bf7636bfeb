// SPDX-License-Identifier: BSD-2-Clause
/*
 * hogged THREADS: so many compute, without a call, while a process of the real-time class takes the processor on which
 * one of them is, for HOG_MS, and then the one on which one is afterwards.  They note how far they have come, and what
 * they keep in registers stays right.  Tells by how much each went on, and the longest time in which it did not.
 * Status 2: one did not go on at all; 77: not to be had here.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8, HOG_MS = 900, STEPS = 10000, TURNS = 2, NOT_HERE = 77 };

struct progress {
	_Alignas(64) atomic_ulong steps;
};

static struct area {
	struct progress of[MOST];
	atomic_bool is_wrong, has_hogged, is_refused;
	struct told {
		unsigned long went_on;
		uint64_t still_ns;
	} told[MOST];
} *area;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static uint64_t mixed(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	return z ^ (z >> 27);
}

/* All of it in registers: whole numbers, and a floating-point one. */
static uint64_t __attribute__((noipa)) steps_of(uint64_t z)
{
	double x = (double)(z & 255);

	for (int i = 0; i < STEPS; i++) {
		z = mixed(z + 0x9e3779b97f4a7c15u);
		x = x * 0.75 + (double)(z & 1023);
	}
	return z ^ (uint64_t)(x * 1024);
}

static _Noreturn void *computes(void *arg)
{
	int i = (int)(intptr_t)arg;
	uint64_t seed = (uint64_t)i, want = steps_of(seed);

	for (;;) {
		if (steps_of(seed) != want)
			area->is_wrong = true;
		area->of[i].steps++;
	}
}

static _Noreturn void run_threads(int n)
{
	pthread_t t;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t, NULL, computes, (void *)(intptr_t)i))
			_exit(1);
	for (;;)
		sleep_ms(5);
}

/* What a kernel thread has used, and the processor that it is on. */
static bool look(pid_t pid, const char *tid, unsigned long long *ret_ns, int *ret_cpu)
{
	char path[512], line[1024];
	bool is_known = false;

	snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)pid, tid);
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	is_known = fscanf(f, "%llu", ret_ns) == 1;
	fclose(f);
	snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	char *at = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;

	fclose(f);
	for (int field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	*ret_cpu = at ? atoi(at) : -1;
	return is_known && at;
}

/* Where the kernel thread is that computes most. */
static int busy_cpu(pid_t pid)
{
	static struct {
		int tid;
		unsigned long long ns;
	} seen[256];
	unsigned long long ns, most = 0;
	int n = 0, cpu, busy = -1;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	for (int turn = 0; turn < 2; turn++) {
		DIR *d = opendir(path);

		if (turn)
			sleep_ms(50);
		for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
			int i = 0, tid = atoi(e->d_name);

			if (tid <= 0 || !look(pid, e->d_name, &ns, &cpu))
				continue;
			while (i < n && seen[i].tid != tid)
				i++;
			if (i == n && n < 256) {
				seen[n].tid = tid;
				seen[n++].ns = ns;
			} else if (i < n && ns - seen[i].ns > most) {
				most = ns - seen[i].ns;
				busy = cpu;
			}
		}
		if (d)
			closedir(d);
	}
	return busy;
}

/* The hog itself looks how they go on: nothing delays it. */
static void hog(int cpu, int n)
{
	struct sched_param one = { .sched_priority = 1 };
	unsigned long first[MOST], last[MOST];
	uint64_t since[MOST], began, now;
	cpu_set_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set) || sched_setscheduler(0, SCHED_FIFO, &one)) {
		area->is_refused = true;
		_exit(1);
	}
	began = now = now_ns();
	memset(area->told, 0, sizeof area->told);
	for (int i = 0; i < n; i++) {
		first[i] = last[i] = area->of[i].steps;
		since[i] = began;
	}
	for (; now - began < HOG_MS * 1000000ull; now = now_ns()) {
		for (int i = 0; i < n; i++) {
			struct told *told = &area->told[i];

			if (now - since[i] > told->still_ns)
				told->still_ns = now - since[i];
			if (area->of[i].steps != last[i]) {
				last[i] = area->of[i].steps;
				since[i] = now;
			}
		}
	}
	for (int i = 0; i < n; i++)
		area->told[i].went_on = last[i] - first[i];
	_exit(0);
}

static bool goes_on(int cpu, int n)
{
	bool all = true;
	pid_t pid = fork();

	if (pid == 0)
		hog(cpu, n);
	while (waitpid(pid, NULL, 0) < 0)
		;
	for (int i = 0; i < n; i++) {
		struct told *told = &area->told[i];

		printf("processor %d taken for %d ms: thread %d: %lu steps, stood still for %.1f ms\n", cpu, HOG_MS, i,
		       told->went_on, (double)told->still_ns / 1e6);
		all = all && told->went_on > 0;
	}
	return all;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, status = 0;
	cpu_set_t set;

	area = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || n < 1 || n > MOST || sched_getaffinity(0, sizeof set, &set))
		return 1;
	if (CPU_COUNT(&set) < 2)
		return NOT_HERE;
	pid_t pid = fork();

	if (pid == 0)
		run_threads(n);
	for (int i = 0; i < n; i++)
		while (!area->of[i].steps)
			sleep_ms(1);
	sleep_ms(100);
	for (int turn = 0; turn < TURNS && status == 0; turn++) {
		int cpu = busy_cpu(pid);

		status = cpu < 0 ? 1 : goes_on(cpu, n) ? 0 : 2;
		if (area->is_refused)
			status = NOT_HERE;
		sleep_ms(50);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return area->is_wrong ? 1 : status;
}
