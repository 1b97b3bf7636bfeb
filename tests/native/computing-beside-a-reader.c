// SPDX-License-Identifier: BSD-2-Clause
/*
 * While every vproc computes and a thread waits for a pipe, the computing threads are left alone as
 * long as nothing comes; what comes is read while they compute.
 */
#include <stdatomic.h>
#include <unistd.h>
#include <upcall/stats.h>

#include "check.h"

enum { FEW = 60, VPROCS = 256 };	/* FEW: in each span */
static const uint64_t span_ns = 400 * MS;

static int pipes[2];
static atomic_bool is_read;

static void *reader(void *arg)
{
	char byte;

	CHECK_IS(upcall_read(pipes[0], &byte, 1), 1);
	is_read = true;
	return arg;
}

static void *compute(void *arg)
{
	while (!is_read)
		;
	return arg;
}

static uint64_t preemptions(void)
{
	struct upcall_stats s = { .size = sizeof(s) };

	CHECK_IS(upcall_stats(&s), 0);
	return s.preemptions;
}

static void test(void)
{
	upcall_t all[VPROCS + 1];
	unsigned n = upcall_vprocs();

	CHECK_IS(pipe(pipes), 0);
	CHECK_IS(upcall_create(&all[0], NULL, reader, NULL), 0);
	for (unsigned i = 0; i < n; i++)
		CHECK_IS(upcall_create(&all[i + 1], NULL, compute, NULL), 0);
	upcall_sleep(50 * MS);

	uint64_t before = preemptions(), start = upcall_now();

	while (upcall_now() - start < span_ns)
		upcall_sleep(100 * MS);		/* main itself makes them give way a few times */
	CHECK((preemptions() - before) * span_ns < FEW * n * (upcall_now() - start));	/* it may have slept for long */
	CHECK_IS(write(pipes[1], "x", 1), 1);
	for (unsigned i = 0; i <= n; i++)
		CHECK_IS(upcall_join(all[i], NULL), 0);
}
