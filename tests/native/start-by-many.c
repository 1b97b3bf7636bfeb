// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kernel threads that libc made spawn the first threads of ours at once: one starts the vproc to which
 * the others send theirs.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { PROCESSES = 100, SPAWNERS = 3, THREADS = 20 };

static atomic_int ready, counted;

static void *count(void *arg)
{
	atomic_fetch_add(&counted, 1);
	return arg;
}

static void *spawn_some(void *arg)
{
	upcall_t thread[THREADS];

	for (atomic_fetch_add(&ready, 1); atomic_load(&ready) < SPAWNERS;)
		;
	for (int i = 0; i < THREADS; i++)
		thread[i] = spawn(count, NULL);
	for (int i = 0; i < THREADS; i++)
		join(thread[i]);
	return arg;
}

static void start(void)
{
	pthread_t libcs[SPAWNERS];

	for (int i = 0; i < SPAWNERS; i++)
		CHECK_IS(pthread_create(&libcs[i], NULL, spawn_some, NULL), 0);
	for (int i = 0; i < SPAWNERS; i++)
		CHECK_IS(pthread_join(libcs[i], NULL), 0);
	CHECK_IS(counted, SPAWNERS * THREADS);
}

static void test(void)
{
	for (int i = 0; i < PROCESSES; i++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			start();
			_exit(0);
		}
		CHECK_IS(waitpid(child, &status, 0), child);
		CHECK_IS(status, 0);
	}
}
