// SPDX-License-Identifier: BSD-2-Clause
// The stream of events: each kind that can be had here, in order, masked and not.
#include "check.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <upcall/reports.h>
#include <upcall/page.h>
#include <upcall/stats.h>

enum { ROOM = 1 << 14 };
static struct upcall_report events[ROOM];
static atomic_uint nevents;
static int its_arg;

static void note(const struct upcall_report *event, void *arg)
{
	unsigned n = atomic_fetch_add(&nevents, 1);

	CHECK(arg == &its_arg && event->kind < UPCALL_REPORT_KINDS);
	if (n < ROOM)
		events[n] = *event;
}

/* `thread` 0: of any. */
static unsigned count_of(uint32_t kind, unsigned thread)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nevents && i < ROOM; i++)
		n += events[i].kind == kind && (!thread || events[i].thread == thread);
	return n;
}

static unsigned count(uint32_t kind)
{
	return count_of(kind, 0);
}

static atomic_bool is_over;

static void *compute(void *arg)
{
	while (!is_over)
		;
	return arg;
}

static void raw_sleep(long ns)
{
	struct timespec t = { 0, ns };
	long ret;
	register long r10 __asm__("r10") = 0;

	/* As calls that nobody wraps: nanosleep(&t, NULL). */
	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_nanosleep), "D"(&t), "S"(0L), "d"(0L), "r"(r10)
			 : "rcx", "r11", "memory");
}

static atomic_uint blocker;

static void *block(void *arg)
{
	blocker = upcall_register_thread(upcall_registers());
	while (!is_over) {
		raw_sleep(20 * 1000 * 1000);
		upcall_yield();
	}
	return arg;
}

static void *yield(void *arg)
{
	while (!is_over)
		upcall_yield();
	return arg;
}

static void await_kind(uint32_t kind, unsigned n)
{
	for (uint64_t start = upcall_now(); count(kind) < n; upcall_sleep(2 * MS))
		CHECK(upcall_now() - start < 20000 * MS);
}

/* What blocks is told, then that it is back; of the same activation, the same thread, in that order. */
static void test_block(void)
{
	is_over = false;
	upcall_t a = spawn(yield, NULL), b = spawn(block, NULL);

	for (uint64_t start = upcall_now(); !blocker || count_of(UPCALL_REPORT_UNBLOCKED, blocker) < 3; upcall_sleep(2 * MS))
		CHECK(upcall_now() - start < 20000 * MS);
	is_over = true;
	join(a);
	join(b);
	for (unsigned i = 0; i < nevents && i < ROOM; i++) {
		const struct upcall_report *e = &events[i];

		if (e->thread != blocker || (e->kind != UPCALL_REPORT_BLOCKED && e->kind != UPCALL_REPORT_UNBLOCKED))
			continue;
		CHECK(e->vproc == 0 && e->activation > 0 && e->time_ns <= upcall_now());
		CHECK(e->call == -1 || e->kind != UPCALL_REPORT_BLOCKED || e->call == SYS_nanosleep);
		bool found = e->kind == UPCALL_REPORT_BLOCKED;

		for (unsigned j = 0; j < i && !found; j++)
			found = events[j].kind == UPCALL_REPORT_BLOCKED && events[j].activation == e->activation &&
				events[j].thread == e->thread;
		CHECK(found);
	}
	CHECK(count_of(UPCALL_REPORT_BLOCKED, blocker) >= 3);
}

static void test_preempt_and_timer(void)
{
	is_over = false;
	upcall_t a = spawn(compute, NULL), b = spawn(compute, NULL);

	await_kind(UPCALL_REPORT_SLICE, 3);
	await_kind(UPCALL_REPORT_TIMER, 1);
	is_over = true;
	join(a);
	join(b);
}

/* Another process computes on the same processor. */
static void test_lost_processor(void)
{
	struct upcall_stats stats = { .size = sizeof(stats) };

	CHECK_IS(upcall_stats(&stats), 0);
	if (!strcmp(stats.source, "monitor"))
		return;		/* it does not tell */
	pid_t parent = getpid(), hog = fork();

	CHECK(hog >= 0);
	while (hog == 0)
		if (getppid() != parent)
			_exit(0);
	is_over = false;
	upcall_t a = spawn(compute, NULL), b = spawn(compute, NULL);

	await_kind(UPCALL_REPORT_PREEMPTED, 3);
	is_over = true;
	join(a);
	join(b);
	CHECK(kill(hog, SIGKILL) == 0 && waitpid(hog, NULL, 0) == hog);
	for (unsigned i = 0; i < nevents && i < ROOM; i++)
		if (events[i].kind == UPCALL_REPORT_PREEMPTED)
			CHECK(events[i].vproc == 0 && events[i].thread > 0 && events[i].activation > 0);
	CHECK_IS(upcall_stats(&stats), 0);
	CHECK(stats.upcalls_preempted >= 3);
}

/* Masked kinds wait, and come the most important first. */
static void test_mask(void)
{
	uint32_t held = 1u << UPCALL_REPORT_TIMER | 1u << UPCALL_REPORT_SLICE;

	CHECK_IS(upcall_reports_mask(0, held), 0);
	CHECK_IS(upcall_reports_mask(100000, 0), -EINVAL);
	nevents = 0;
	is_over = false;
	upcall_t a = spawn(compute, NULL), b = spawn(compute, NULL);

	for (int i = 0; i < 10; i++)
		upcall_sleep(10 * MS);
	is_over = true;
	join(a);
	join(b);
	CHECK(count(UPCALL_REPORT_TIMER) == 0 && count(UPCALL_REPORT_SLICE) == 0);
	nevents = 0;
	upcall_nopreempt_begin();		/* main's own slice does not end here */
	CHECK_IS(upcall_reports_mask(0, 0), held);
	CHECK(count(UPCALL_REPORT_TIMER) > 0 && count(UPCALL_REPORT_SLICE) > 0);
	bool timer_seen = false;

	for (unsigned i = 0, n = nevents; i < n; i++) {
		timer_seen |= events[i].kind == UPCALL_REPORT_TIMER;
		CHECK(!timer_seen || events[i].kind != UPCALL_REPORT_SLICE);
	}
	upcall_nopreempt_end();
}

static void test(void)
{
	cpu_set_t one;

	if (test_flags & UPCALL_NO_TLS)
		return;		/* such threads are never preempted */
	CHECK(sched_getaffinity(0, sizeof(one), &one) == 0);
	for (int i = 0, n = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &one) && n++)
			CPU_CLR(i, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);	/* one vproc */
	CHECK_IS(upcall_reports_open(note, &its_arg), 0);
	test_block();
	test_preempt_and_timer();
	test_lost_processor();
	test_mask();
	CHECK_IS(upcall_reports_open(NULL, NULL), 0);
	nevents = 0;
	upcall_sleep(5 * MS);
	CHECK_IS(nevents, 0);
}
