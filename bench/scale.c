// SPDX-License-Identifier: BSD-2-Clause
/*
 * N threads that all wait for one condition: what each costs to make (up to the moment when it
 * waits), what memory it keeps resident and what page tables beside that (a kernel stack counts in
 * neither), and what it costs to wake it and join it.  One more is there before, so that what the
 * first thread of a program takes is in none of these.
 *
 * Kernel threads run into the limits of the machine.  This takes nine tenths of the process IDs and
 * map entries at most, because others live there too, and of the memory that is left, and says so.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "threads.h"

static mutex lock;
static cond is_told, all_wait;
static size_t waiting, expected;
static bool is_go;

static void *wait_for_go(void *argument)
{
	mutex_lock(&lock);
	if (++waiting == expected)
		cond_signal(&all_wait);
	while (!is_go)
		cond_wait(&is_told, &lock);
	mutex_unlock(&lock);
	return argument;
}

/* Who has the lock after this knows that every thread waits: each let go of it by waiting. */
static void wait_for_all(size_t n)
{
	mutex_lock(&lock);
	expected = n;
	while (waiting < n)
		cond_wait(&all_wait, &lock);
	mutex_unlock(&lock);
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

static long least(long a, long b)
{
	return a < b ? a : b;
}

/* A kernel thread's stack takes two map entries: itself and its guard. */
static long kernel_thread_limit(void)
{
	long pids = number_in("/proc/sys/kernel/pid_max", "%ld", 32768);
	long threads = number_in("/proc/sys/kernel/threads-max", "%ld", pids);
	long used = number_in("/proc/loadavg", "%*s %*s %*s %*d/%ld", 0);
	long group = number_in("/sys/fs/cgroup/pids.max", "%ld", pids);
	long maps = number_in("/proc/sys/vm/max_map_count", "%ld", 65530) / 2;

	return least(least(least(pids, threads), group) * 9 / 10 - used, maps * 9 / 10);
}

/* What one takes at most: a kernel thread its kernel stack and page tables, a pthread its TLS block. */
static long memory_limit(bool is_kernel_thread)
{
	long kb_each = is_kernel_thread ? 32 : THREADS_SHARE ? 16 : 8;

	return (long)(memory_left_bytes() * 0.9 / 1024) / kb_each;
}

/* In whole thousands, so that runs of one case have as many. */
static size_t within_limits(size_t n, bool is_kernel_thread)
{
	long by_memory = memory_limit(is_kernel_thread);
	long by_kernel = is_kernel_thread ? kernel_thread_limit() : by_memory;
	long limit = least(by_memory, by_kernel);

	if ((long)n <= limit)
		return n;
	if (limit > 1000)
		limit -= limit % 1000;
	if (limit < 1)
		die("no %s left", by_memory < by_kernel ? "memory" : "process IDs");
	note("%ld of %zu threads, as %s", limit, n, by_memory <= by_kernel ? "the memory that is left allows"
									    : "pid_max and max_map_count allow");
	return (size_t)limit;
}

static size_t create(thread *threads, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		int error = thread_try(&threads[i], wait_for_go, NULL, 0, 0);

		if (error) {
			note("%zu of %zu threads: %s", i, n, strerror(error));
			break;
		}
	}
	return i;
}

static void wake_all(void)
{
	mutex_lock(&lock);
	is_go = true;
	cond_broadcast(&is_told);
	mutex_unlock(&lock);
}

/*
 * What is asked of 100,000 threads, memory also of 10,000, which --quick has, and of a million.  A pthread's
 * page tables are asked about by themselves.  Times are those of one machine.
 */
static void judge(bool is_native, size_t n)
{
	if (n < 10000)
		return;
	if (is_native) {
		bound("memory", 4300, "bytes", "at-most");
		if (n >= 100000) {
			bound("create", n < 1000000 ? 2300 : 2900, "ns", "at-most");
			bound("wake-join", 230, "ns", "at-most");
		}
	} else {
		bound("resident", n < 1000000 ? 10 * 1024 : 12.0 * (1 << 30) / 1e6, "bytes", "at-most");
		bound("page-tables", 4.2 * 1024, "bytes", "at-most");
	}
}

static void measure(thread *threads, size_t n)
{
	double before = memory_of_process("VmRSS:"), tables_before = memory_of_process("VmPTE:");
	uint64_t t_start = now_ns();

	n = create(threads, n);
	if (n == 0)
		die("not a single thread");
	wait_for_all(n + 1);
	uint64_t t_waiting = now_ns();
	double resident = (memory_of_process("VmRSS:") - before) / (double)n;
	double tables = (memory_of_process("VmPTE:") - tables_before) / (double)n;
	uint64_t t_go = now_ns();

	wake_all();
	for (size_t i = 0; i < n; i++)
		thread_join(threads[i]);
	uint64_t t_end = now_ns();

	put("create", (double)(t_waiting - t_start) / (double)n, "ns");
	put("resident", resident, "bytes");
	put("page-tables", tables, "bytes");
	put("memory", resident + tables, "bytes");
	put("wake-join", (double)(t_end - t_go) / (double)n, "ns");
}

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);
	char *end;
	size_t n = strtoul(args.name, &end, 10);

	if (*end || n == 0 || n > 10000000)
		die("no case '%s'", args.name);
	n = within_limits(n, !strcmp(args.system, "glibc"));

	thread *threads = malloc(n * sizeof(*threads));
	if (!threads)
		die("out of memory");
	memset(threads, 1, n * sizeof(*threads));
	mutex_init(&lock, false);
	cond_init(&is_told, false);
	cond_init(&all_wait, false);

	thread first = thread_start(wait_for_go, NULL, 0, 0);

	wait_for_all(1);
	measure(threads, n);
	if (strcmp(args.system, "glibc"))
		judge(!strcmp(args.system, "native"), n);
	thread_join(first);
	free(threads);
	return 0;
}
