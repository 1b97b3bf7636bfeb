// SPDX-License-Identifier: BSD-2-Clause
// A thread with nothing behind it in its own vproc's queue blocks in ways that no library call shows, while a thread
// waits in another vproc's queue: its vproc is taken over for that one.
#include "blocks.h"

#include <stdatomic.h>
#include <upcall/reports.h>

static const uint64_t quiet_ns = 1000 * MS, patience_ns = 15000 * MS;

static atomic_uint blocked, computing;
static atomic_bool may_block, is_over;

static void note(const struct upcall_report *event, void *arg)
{
	(void)arg;
	blocked += event->kind == UPCALL_REPORT_BLOCKED;
}

static void *compute(void *arg)
{
	computing++;
	may_block = true;
	while (!is_over)
		;
	return arg;
}

static void *block(void *arg)
{
	if (upcall_vproc() != 1) {
		printf("it was taken to another vproc\n");
		exit(SKIP);
	}
	atomic_store((atomic_bool *)arg, true);
	while (!may_block)
		;
	for (uint64_t start = upcall_now(); upcall_now() - start < quiet_ns; )
		;		/* until nobody expects it to block */
	for (uint64_t start = upcall_now(); !blocked && upcall_now() - start < patience_ns; )
		raw_sleep(100 * 1000 * 1000);
	is_over = true;
	return NULL;
}

static void test(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;
	atomic_bool is_there = false;

	CHECK_IS(upcall_init(&options), 0);
	if (upcall_vprocs() < 2) {
		printf("one vproc only\n");
		exit(SKIP);
	}
	CHECK_IS(upcall_reports_open(note, NULL), 0);
	test_flags = 0;		/* those without a TLS block go where they are made */
	upcall_t blocker = spawn_on(1, block, &is_there);

	while (!is_there)
		upcall_yield();
	upcall_t computers[2] = { spawn_on(0, compute, NULL), spawn_on(0, compute, NULL) };

	CHECK_IS(upcall_join(blocker, NULL), 0);	/* no timer, which would be watched for by itself */
	for (int i = 0; i < 2; i++)
		CHECK_IS(upcall_join(computers[i], NULL), 0);
	CHECK(blocked);
}
