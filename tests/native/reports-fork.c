// SPDX-License-Identifier: BSD-2-Clause
// A fork while a report is delivered elsewhere: the child has no such delivery to wait for.
#include "check.h"

#include <stdatomic.h>
#include <upcall/reports.h>

static atomic_bool is_inside, has_forked;

static void linger(const struct upcall_report *event, void *arg)
{
	(void)arg;
	if (event->vproc != 1 || has_forked)
		return;
	is_inside = true;
	for (uint64_t start = upcall_now(); !has_forked && upcall_now() - start < 2000 * MS; )
		;
	is_inside = false;
}

static void *compute(void *arg)
{
	while (!has_forked)
		;
	return arg;
}

static upcall_t spawn_there(void)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	attr.flags = test_flags | UPCALL_ON_VPROC;
	attr.vproc = 1;
	CHECK_IS(upcall_create(&t, &attr, compute, NULL), 0);
	return t;
}

static void test(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;
	int status;

	if (test_flags)
		return;		/* those without a TLS block have no slices */
	CHECK_IS(upcall_init(&options), 0);
	if (upcall_vprocs() < 2) {
		printf("one vproc only\n");
		exit(SKIP);
	}
	CHECK_IS(upcall_reports_open(linger, NULL), 0);
	upcall_t a = spawn_there(), b = spawn_there();	/* slices end there */

	for (uint64_t start = upcall_now(); !is_inside && upcall_now() - start < 20000 * MS; )
		;
	CHECK(is_inside);
	pid_t child = fork();

	if (child == 0) {
		alarm(10);
		CHECK_IS(upcall_reports_open(NULL, NULL), 0);
		_exit(0);
	}
	has_forked = true;
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_IS(status, 0);
	CHECK_IS(upcall_join(a, NULL), 0);
	CHECK_IS(upcall_join(b, NULL), 0);
}
