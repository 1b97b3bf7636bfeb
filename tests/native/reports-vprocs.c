// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events of two vprocs: one gets an activation (ADDED), is asked by the other, or by a kernel thread, to run a thread
 * (SIGNAL), has its events held back while the other's come, and is about to be taken away (WARNING).
 */
#include "affinity.h"
#include "blocks.h"

#include <stdatomic.h>
#include <upcall/page.h>
#include <upcall/reports.h>

enum { HOGS = 4, HELD = 16, PATIENCE_S = 25 };	/* HELD: as many of a kind wait in a queue */

static const volatile struct upcall_registers *r;
static atomic_uint seen[2][UPCALL_REPORT_KINDS], strayed;
static atomic_int added;		/* the tid */
static atomic_ulong first_ns;		/* of the slices told on vproc 1 since this was 0 */
static atomic_bool is_over;

/* On its vproc: amid the scheduler's work the register says which that is. */
static void note(const struct upcall_report *event, void *arg)
{
	CHECK(arg == &is_over && event->kind < UPCALL_REPORT_KINDS && event->vproc < 2);
	if (upcall_register_vproc(r) != (int)event->vproc)
		strayed++;
	if (event->kind == UPCALL_REPORT_ADDED && event->vproc == 1)
		added = event->activation;
	if (event->kind == UPCALL_REPORT_SLICE && event->vproc == 1 && !first_ns)
		first_ns = event->time_ns;
	seen[event->vproc][event->kind]++;
}

static void await(unsigned vproc, enum upcall_report_kind kind, unsigned n)
{
	for (uint64_t start = upcall_now(); seen[vproc][kind] < n; upcall_sleep(2 * MS))
		if (upcall_now() - start > PATIENCE_S * 1000 * MS) {
			dprintf(2, "of kind %d on vproc %u: %u, not %u\n", (int)kind, vproc, seen[vproc][kind], n);
			_exit(1);
		}
}

static void *compute(void *arg)
{
	while (!is_over)
		;
	return arg;
}

/* Each vproc has more than it can run: it takes none of the other's. */
static upcall_t hogs[HOGS];

static void keep_busy(void)
{
	is_over = false;
	for (unsigned i = 0; i < HOGS; i++)
		hogs[i] = spawn_on(i % 2, compute, NULL);
}

static void leave_alone(void)
{
	is_over = true;
	for (int i = 0; i < HOGS; i++)
		join(hogs[i]);
}

static void test_added(void)
{
	char path[64];

	await(1, UPCALL_REPORT_ADDED, 1);
	snprintf(path, sizeof(path), "/proc/self/task/%d", added);
	CHECK_IS(access(path, F_OK), 0);
}

static void *wait_for_token(void *arg)
{
	CHECK_IS(upcall_park(), 0);
	return arg;
}

static upcall_t sleeper;

static void *wake_sleeper(void *arg)
{
	CHECK_IS(upcall_vproc(), -1);
	upcall_unpark(sleeper);
	return arg;
}

static void test_signal(void)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	unsigned before = seen[1][UPCALL_REPORT_SIGNAL];
	upcall_t t;

	/* Main is on one of the two, and its hogs may have changed places: now and then it is the other. */
	for (uint64_t start = upcall_now(); seen[1][UPCALL_REPORT_SIGNAL] == before; upcall_sleep(2 * MS)) {
		CHECK(upcall_now() - start < PATIENCE_S * 1000 * MS);
		sleeper = spawn_on(1, wait_for_token, NULL);
		upcall_unpark(sleeper);
		join(sleeper);
	}
	/* The kernel schedules the waker, which has no vproc: one of the two that compute is asked. */
	attr.flags = UPCALL_BOUND;
	before = seen[0][UPCALL_REPORT_SIGNAL] + seen[1][UPCALL_REPORT_SIGNAL];
	for (uint64_t start = upcall_now(); seen[0][UPCALL_REPORT_SIGNAL] + seen[1][UPCALL_REPORT_SIGNAL] == before; ) {
		CHECK(upcall_now() - start < PATIENCE_S * 1000 * MS);
		sleeper = spawn(wait_for_token, NULL);
		CHECK_IS(upcall_create(&t, &attr, wake_sleeper, NULL), 0);
		join(sleeper);
		join(t);
	}
}

/* One of them is masked: its own wait, the other's come. */
static void test_mask(void)
{
	CHECK_IS(upcall_reports_mask(1, 1u << UPCALL_REPORT_SLICE), 0);
	upcall_sleep(20 * MS);			/* one may be on its way */
	unsigned held = seen[1][UPCALL_REPORT_SLICE];

	await(0, UPCALL_REPORT_SLICE, seen[0][UPCALL_REPORT_SLICE] + 2 * HELD);
	CHECK_IS(seen[1][UPCALL_REPORT_SLICE], held);
	first_ns = 0;
	uint64_t unmasked_ns = upcall_now();

	CHECK_IS(upcall_reports_mask(1, 0), 1u << UPCALL_REPORT_SLICE);
	await(1, UPCALL_REPORT_SLICE, held + HELD);
	CHECK(first_ns < unmasked_ns);
	CHECK_IS(upcall_reports_mask(2, 0), -EINVAL);	/* there is no such vproc */
}

static void await_given(unsigned n)
{
	for (uint64_t start = upcall_now(); r->vprocs_given != n; upcall_sleep(2 * MS))
		CHECK(upcall_now() - start < PATIENCE_S * 1000 * MS);
}

static void test_warning(const cpu_set_t *both, int cpu)
{
	cpu_set_t one = only(cpu);

	CHECK_IS(seen[1][UPCALL_REPORT_WARNING], 0);
	let_all_run_on(&one);
	await(1, UPCALL_REPORT_WARNING, 1);
	CHECK_IS(seen[0][UPCALL_REPORT_WARNING], 0);
	await_given(1);
	let_all_run_on(both);
	await_given(2);
}

static void test(void)
{
	int cpus[2];

	if (test_flags & UPCALL_NO_TLS)
		return;		/* such threads are never preempted */
	cpu_set_t both = keep_two_cpus(cpus);

	r = upcall_registers();
	CHECK_IS(upcall_reports_open(note, &is_over), 0);
	if (upcall_vprocs() != 2) {
		printf("skip: not two vprocs\n");
		exit(SKIP);
	}
	keep_busy();
	test_added();
	test_signal();
	test_mask();
	test_warning(&both, cpus[0]);
	leave_alone();
	CHECK_IS(upcall_reports_open(NULL, NULL), 0);
	CHECK_IS(strayed, 0);
}
