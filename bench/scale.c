// SPDX-License-Identifier: BSD-2-Clause
/*
 * N threads that all wait for one condition: what each costs to make (up to the moment when it
 * waits), what memory it keeps resident and what page tables beside that (a kernel stack counts in
 * neither), and what it costs to wake it and join it.
 *
 * Kernel threads run into the limits of the machine.  This takes nine tenths of the process IDs and
 * map entries at most, because others live there too, and says so.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_told = PTHREAD_COND_INITIALIZER, all_wait = PTHREAD_COND_INITIALIZER;
static size_t waiting, expected;
static bool is_go;

static void *wait_for_go(void *argument)
{
	pthread_mutex_lock(&lock);
	if (++waiting == expected)
		pthread_cond_signal(&all_wait);
	while (!is_go)
		pthread_cond_wait(&is_told, &lock);
	pthread_mutex_unlock(&lock);
	return argument;
}

/* Who has the lock after this knows that every thread waits: each let go of it by waiting. */
static void wait_for_all(size_t n)
{
	pthread_mutex_lock(&lock);
	expected = n;
	while (waiting < n)
		pthread_cond_wait(&all_wait, &lock);
	pthread_mutex_unlock(&lock);
}

/* A line of the process's status, in kB there. */
static double status_bytes(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kb = 0;

	if (!file)
		die("/proc/self/status: %s", strerror(errno));
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, 6))
			kb = strtol(line + 6, NULL, 10);
	fclose(file);
	return (double)kb * 1024;
}

static long number_in(const char *path, const char *format, long otherwise)
{
	FILE *file = fopen(path, "r");
	long n;

	if (!file)
		return otherwise;
	if (fscanf(file, format, &n) != 1)
		n = otherwise;
	fclose(file);
	return n;
}

/* A kernel thread's stack takes two map entries: itself and its guard. */
static long kernel_thread_limit(void)
{
	long pids = number_in("/proc/sys/kernel/pid_max", "%ld", 32768);
	long threads = number_in("/proc/sys/kernel/threads-max", "%ld", pids);
	long used = number_in("/proc/loadavg", "%*s %*s %*s %*d/%ld", 0);
	long group = number_in("/sys/fs/cgroup/pids.max", "%ld", pids);
	long maps = number_in("/proc/sys/vm/max_map_count", "%ld", 65530) / 2;
	long limit = pids < threads ? pids : threads;

	limit = limit < group ? limit : group;
	limit = limit * 9 / 10 - used;
	return limit < maps * 9 / 10 ? limit : maps * 9 / 10;
}

static size_t create(pthread_t *threads, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		int error = pthread_create(&threads[i], NULL, wait_for_go, NULL);

		if (error) {
			note("%zu of %zu threads: %s", i, n, strerror(error));
			break;
		}
	}
	return i;
}

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);
	char *end;
	size_t n = strtoul(args.name, &end, 10);

	if (*end || n == 0 || n > 10000000)
		die("no case '%s'", args.name);
	if (!strcmp(args.system, "glibc") && (long)n > kernel_thread_limit()) {
		long limit = kernel_thread_limit();

		if (limit < 1)
			die("no process IDs left");
		note("%ld of %zu threads, as pid_max and max_map_count allow", limit, n);
		n = (size_t)limit;
	}

	pthread_t *threads = calloc(n, sizeof(*threads));
	if (!threads)
		die("out of memory");
	memset(threads, 1, n * sizeof(*threads));

	double before = status_bytes("VmRSS:"), tables_before = status_bytes("VmPTE:");
	uint64_t t_start = now_ns();
	n = create(threads, n);
	if (n == 0)
		die("not a single thread");
	wait_for_all(n);
	uint64_t t_waiting = now_ns();
	double resident = status_bytes("VmRSS:") - before;
	double tables = status_bytes("VmPTE:") - tables_before;
	uint64_t t_go = now_ns();

	pthread_mutex_lock(&lock);
	is_go = true;
	pthread_cond_broadcast(&is_told);
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < n; i++)
		must("pthread_join", pthread_join(threads[i], NULL));
	uint64_t t_end = now_ns();

	put("create", (double)(t_waiting - t_start) / (double)n, "ns");
	put("resident", resident / (double)n, "bytes");
	put("page-tables", tables / (double)n, "bytes");
	put("wake-join", (double)(t_end - t_go) / (double)n, "ns");
	return 0;
}
