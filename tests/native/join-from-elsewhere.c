// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kernel threads that no vproc runs join and detach threads of a lone vproc, as they end: each is joined once, with its
 * value, none is forgotten and no descriptor serves two.  The first of them to come is the case that counts: many
 * processes.  And in a forked child of a lone vproc's owner, which is run by none, threads that stayed behind.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

enum { PROCESSES = 60, THREADS = 300, HELPERS = 3 };

/* A handle goes to whoever takes it first; 0: none yet, TAKEN: gone. */
#define TAKEN ((uintptr_t)1)
static _Atomic(uintptr_t) handles[THREADS];
static atomic_int ended, settled;

static void *lives(void *arg)
{
	for (uintptr_t i = (uintptr_t)arg % 4; i > 0; i--)
		upcall_yield();
	ended++;
	return arg;
}

static void settle(int i, uintptr_t handle)
{
	void *value = NULL;

	if (i % 3 == 0) {
		CHECK_IS(upcall_detach((upcall_t)handle), 0);
	} else {
		CHECK_IS(upcall_join((upcall_t)handle, &value), 0);
		CHECK_IS((uintptr_t)value, i + 1);
	}
	settled++;
}

static void *helps(void *arg)
{
	for (int i = 0; i < THREADS; i++) {
		uintptr_t handle;

		while ((handle = handles[i]) == 0)
			sched_yield();
		if (handle != TAKEN && atomic_compare_exchange_strong(&handles[i], &handle, TAKEN))
			settle(i, handle);
	}
	return arg;
}

static void begin(struct upcall_attr *attr)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;

	options.vprocs = 1;
	CHECK_IS(upcall_init(&options), 0);
	attr->flags = test_flags;
}

static void *parks(void *arg)
{
	for (;;)
		upcall_park();
	return arg;
}

static void behind(void)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t[2];
	int status;
	pid_t child;

	begin(&attr);
	for (int i = 0; i < 2; i++)
		CHECK_IS(upcall_create(&t[i], &attr, parks, NULL), 0);
	upcall_yield();
	child = fork();
	if (child == 0) {
		alarm(20);
		CHECK_IS(upcall_join_until(t[0], NULL, upcall_after(MS)), -ETIMEDOUT);
		CHECK_IS(upcall_detach(t[1]), 0);
		exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_IS(status, 0);
}

static void lone(void)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	pthread_t helpers[HELPERS];

	begin(&attr);
	for (int i = 0; i < HELPERS; i++)
		CHECK_IS(pthread_create(&helpers[i], NULL, helps, NULL), 0);
	for (int i = 0; i < THREADS; i++) {
		upcall_t t;

		CHECK_IS(upcall_create(&t, &attr, lives, (void *)(uintptr_t)(i + 1)), 0);
		handles[i] = (uintptr_t)t;
		if (i % 7 == 0)
			upcall_yield();
	}
	for (int i = 0; i < HELPERS; i++)
		CHECK_IS(pthread_join(helpers[i], NULL), 0);
	for (int i = 0; i < 1000 && ended < THREADS; i++)
		upcall_sleep(10 * MS);
	CHECK_IS(ended, THREADS);
	CHECK_IS(settled, THREADS);
}

static void test(void)
{
	for (int i = 0; i < PROCESSES; i++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			alarm(20);
			(i ? lone : behind)();
			exit(0);
		}
		CHECK(waitpid(child, &status, 0) == child);
		CHECK_IS(status, 0);
	}
}
