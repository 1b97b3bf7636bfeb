// SPDX-License-Identifier: BSD-2-Clause
// A section that is not to be preempted is not, unless it lasts too long.
#include "check.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <upcall/page.h>
#include <upcall/stats.h>

static atomic_bool is_over;
static atomic_ulong entries, sections;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void spin(uint64_t ns)
{
	for (uint64_t start = now_ns(); now_ns() - start < ns;)
		;
}

static struct upcall_stats stats(void)
{
	struct upcall_stats s = { .size = sizeof(s) };

	CHECK_IS(upcall_stats(&s), 0);
	return s;
}

/*
 * Who blocks in the kernel amid a section, as for a page, loses its vproc, and runs beside another thread for a
 * moment when it is back: what happens then is no preemption.
 */
static bool nobody_blocked_since(const struct upcall_stats *then)
{
	return then->upcalls_blocked == then->upcalls_unblocked && stats().upcalls_blocked == then->upcalls_blocked;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * Who computes for 4 ms in a section has no others for a second.  Ours are shorter, unless the machine stands still
 * amid one, as an emulated one does: it takes that for computing.
 */
static bool is_granted(uint64_t cpu_at_begin, uint64_t *distrusted_until)
{
	if (cpu_ns() - cpu_at_begin >= 3 * MS)
		*distrusted_until = now_ns() + 1100 * MS;
	return now_ns() >= *distrusted_until;
}

/* On one vproc only a preemption inside the section could let another thread enter one meanwhile. */
static void *enter_often(void *arg)
{
	uint64_t distrusted_until = 0;

	while (!is_over) {
		uint64_t began = cpu_ns();

		upcall_nopreempt_begin();
		struct upcall_stats then = stats();
		unsigned long mine = ++entries;

		spin(MS / 5);
		upcall_nopreempt_begin();
		upcall_nopreempt_end();
		spin(MS / 5);
		bool was_alone = entries == mine;

		if (is_granted(began, &distrusted_until) && nobody_blocked_since(&then)) {
			CHECK(was_alone);
			sections++;
		}
		upcall_nopreempt_end();
		is_granted(began, &distrusted_until);
	}
	return arg;
}

static void is_not_preempted(void)
{
	upcall_t t[3];

	is_over = false;
	for (int i = 0; i < 3; i++)
		t[i] = spawn(enter_often, NULL);
	for (int i = 0; i == 0 || (i < 10 && sections <= 10); i++)
		upcall_sleep(1000 * MS);
	is_over = true;
	for (int i = 0; i < 3; i++)
		join(t[i]);
	CHECK(entries > 10);
}

static atomic_int turn;

static void *never_ends_it(void *arg)
{
	upcall_nopreempt_begin();
	turn = 1;
	while (turn != 2)
		;
	upcall_nopreempt_end();
	return arg;
}

static void *lets_it_end(void *arg)
{
	while (turn != 1)
		upcall_yield();
	turn = 2;
	return arg;
}

static void cheat_is_preempted(void)
{
	uint64_t start = now_ns();

	turn = 0;
	upcall_t other = spawn(lets_it_end, NULL), cheat = spawn(never_ends_it, NULL);

	join(cheat);
	join(other);
	CHECK(now_ns() - start < 5000 * MS);
}

/* What it owes is paid at the end, before anything else. */
static atomic_bool other_ran;

static void *note_turns(void *arg)
{
	while (!is_over) {
		other_ran = true;
		upcall_yield();
	}
	return arg;
}

static void debt_is_paid(void)
{
	is_over = false;
	upcall_t other = spawn(note_turns, NULL);
	unsigned paid = 0;
	uint64_t distrusted_until = 0;

	for (int i = 0; i < 200; i++) {
		uint64_t began = cpu_ns();

		upcall_nopreempt_begin();
		struct upcall_stats then = stats();

		other_ran = false;
		spin(MS);
		bool was_alone = !other_ran;

		CHECK(was_alone || !is_granted(began, &distrusted_until) || !nobody_blocked_since(&then));
		other_ran = false;
		upcall_nopreempt_end();
		paid += other_ran;
		is_granted(began, &distrusted_until);
	}
	CHECK(paid > 2);	/* slices end after ten sections or so */
	is_over = true;
	join(other);
}

/*
 * One that blocks in the kernel amid a section is continued before all who are ready when it is back.
 * Each of the others computes for a while; the third one ends the block.
 */
enum { OTHERS = 16, RETURN_AT = 3 };
static uint32_t block_word;
static atomic_int turns, turns_when_back, turn_of_section;

static void raw_futex(int op)
{
	long ret;
	register long r10 __asm__("r10") = 0;

	/* As calls that nobody wraps. */
	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_futex), "D"(&block_word), "S"((long)op), "d"((long)op), "r"(r10)
			 : "rcx", "r11", "memory");
}

static void *block_in_section(void *arg)
{
	upcall_nopreempt_begin();
	turn = 1;
	while (__atomic_load_n(&block_word, __ATOMIC_SEQ_CST) == 0)
		raw_futex(0);
	turns_when_back = turns;
	upcall_unpark(*(upcall_t *)arg);	/* here it finds that it lost its vproc */
	turn_of_section = turns;
	upcall_nopreempt_end();
	return NULL;
}

static void *take_turn(void *arg)
{
	upcall_park();
	int mine = ++turns;

	if (mine == RETURN_AT) {
		__atomic_store_n(&block_word, 1, __ATOMIC_SEQ_CST);
		raw_futex(1);
	}
	if (mine >= RETURN_AT)
		spin(4 * MS);
	return arg;
}

static void *park(void *arg)
{
	upcall_park();
	return arg;
}

static void section_goes_first(void)
{
	upcall_t others[OTHERS], parked, t;

	if (upcall_register_vproc(upcall_registers()) < 0)
		return;		/* the kernel decides who is first */
	for (int i = 0; i < OTHERS; i++)
		others[i] = spawn(take_turn, NULL);
	turn = turns = 0;
	parked = spawn(park, NULL);
	t = spawn(block_in_section, &parked);
	while (turn != 1)
		upcall_yield();
	upcall_yield();			/* it has blocked, for we run */
	for (int i = 0; i < OTHERS; i++)
		upcall_unpark(others[i]);
	join(t);
	join(parked);
	for (int i = 0; i < OTHERS; i++)
		join(others[i]);
	/* Its kernel thread may be woken late; from then on the others' turns count. */
	if (turn_of_section - turns_when_back > 2)
		dprintf(2, "back after %d turns, in its vproc after %d\n", turns_when_back, turn_of_section);
	CHECK(turn_of_section >= RETURN_AT && turn_of_section - turns_when_back < OTHERS - 4 - RETURN_AT);
}

/* Under `upcall run` who does little but block, or seems to, gets a kernel thread of its own, beside all sections. */
static void have_none_bound(void)
{
	const char *off = getenv("UPCALL_DISABLE");
	char more[200];

	if (off && strstr(off, "bind"))
		return;
	snprintf(more, sizeof(more), "%s%sbind", off ? off : "", off ? "," : "");
	CHECK_IS(setenv("UPCALL_DISABLE", more, 1), 0);
	execv("/proc/self/exe", (char *[]){ "nopreempt", NULL });
	CHECK(!"execv");
}

static void test(void)
{
	cpu_set_t one;

	if (test_flags & UPCALL_NO_TLS)
		return;		/* such threads are never preempted */
	have_none_bound();
	CHECK(sched_getaffinity(0, sizeof(one), &one) == 0);
	for (int i = 0, n = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &one) && n++)
			CPU_CLR(i, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);	/* one vproc */
	is_not_preempted();
	cheat_is_preempted();
	debt_is_paid();
	section_goes_first();
	if (sections > 10)
		return;
	printf("skip: the machine stands still too often\n");
	exit(SKIP);
}
