// SPDX-License-Identifier: BSD-2-Clause
/*
 * deferral CASE: two processes compute on one processor.
 *
 *   fair     each gets about half
 *   cheat    one says for ever that it must not be preempted: it is, after no more than the grace, then for a second it is
 *            not let run on at all; and it gets little more than half
 *   owing    one says so, but yields whenever it sees that it owes: it is not forced, unless the machine
 *            stood still at that moment
 *   critical as owing, but it says so in its own memory
 *   warned   one asks to be warned, and is, before most of its preemptions
 *   yields   one has a second activation, to which it yields twice in each of its turns
 *   rubbish  one writes garbage to its control page all the time: the other gets its half
 */
#include "vproc.h"

enum { CPU = 1, SECONDS = 4 };
enum { HOLE_US = 2000, LATE_US = 20000, BAN_US = 1000000 };	/* LATE: it is asked at ticks, which may be late here */

static struct shared {
	atomic_int ready, is_over;
	atomic_ulong cpu[2];
	unsigned nforced, nwarnings, seen;
	unsigned nowed;			/* times that the cheat was let run on */
	uint64_t longest_us, soonest_us;	/* for how long; how soon after it had been forced */
} *shared;

static const char *kind;

static bool is(const char *name)
{
	return strcmp(kind, name) == 0;
}

static void *rubbish(void *arg)
{
	volatile uint8_t *bytes = (volatile uint8_t *)control;
	unsigned random = 1;

	(void)arg;
	pin(0);			/* of the normal class, it would keep both from running */
	while (!shared->is_over) {
		random = random * 1103515245 + 12345;
		bytes[(random >> 8) % sizeof(*control)] = (uint8_t)(random >> 24);
	}
	return NULL;
}

static void *more_activations(void *arg)
{
	join(10 + (unsigned)(long)arg, CPU);
	while (!shared->is_over) {
		for (volatile int i = 0; i < 20000; i++)
			;
		usleep(100);
	}
	return NULL;
}

static void *partner(void *arg)
{
	join(2, CPU);
	while (!shared->is_over)
		;
	return arg;
}

/* What it has in its own memory that says no. */
static struct { uint64_t other; uint32_t inside, depth; } thing;
static void *running = &thing;

static void say_no(bool is_no)
{
	if (is("critical"))
		thing.depth = is_no;
	else
		control->vproc[0].nopreempt = is_no;
	atomic_signal_fence(memory_order_seq_cst);
}

/*
 * Of one that never yields: when it owes, how long it runs until it does no more, and how long after it was last forced
 * that begins.  It cannot see when it was forced; before that it was as often as it saw the time before, so that is counted
 * from: a machine that stands still makes it longer, and never shorter.
 */
static void watch_debt(void)
{
	static uint64_t at, forced_after, ran;
	static uint32_t nforced;
	static bool owed;
	uint64_t now = now_us();
	uint32_t forced = page->vproc[0].nforced;
	bool owes = page->vproc[0].owes;

	if (forced != nforced) {
		nforced = forced;
		forced_after = at;
	}
	if (owes && !owed) {
		shared->nowed++;
		ran = 0;
		if (nforced && now - forced_after < shared->soonest_us)
			shared->soonest_us = now - forced_after;
	} else if (owes && now - at < HOLE_US) {
		ran += now - at;
	}
	if (ran > shared->longest_us)
		shared->longest_us = ran;
	owed = owes;
	at = now;
}

/* The process that does not behave, or wants something. */
static void special(void)
{
	bool was_warned = false, pays = is("owing") || is("critical");
	uint64_t yielded_us = 0;
	pthread_t t;

	control->critical_offset[0] = offsetof(__typeof__(thing), inside);
	control->critical_offset[1] = offsetof(__typeof__(thing), depth);
	control->critical_at[1] = (uintptr_t)&running;
	say_no(is("cheat") || pays);
	control->vproc[0].warn_us = is("warned") ? 6000 : 0;
	if (is("rubbish")) {
		for (long i = 0; i < 3; i++)
			CHECK(pthread_create(&t, NULL, more_activations, (void *)i) == 0);
		CHECK(pthread_create(&t, NULL, rubbish, NULL) == 0);
	}
	if (is("yields"))
		CHECK(pthread_create(&t, NULL, partner, NULL) == 0);
	while (!shared->is_over) {
		if (is("cheat"))
			watch_debt();
		if (is("yields") && now_us() - yielded_us >= 7000) {
			sched_yield();
			yielded_us = now_us();
		}
		if (pays && page->vproc[0].owes) {
			say_no(false);
			sched_yield();
			say_no(true);
			shared->seen++;
		}
		bool is_warned = page->vproc[0].warn_ns != 0;

		shared->seen += is_warned && !was_warned;
		was_warned = is_warned;
	}
	shared->nforced = page->vproc[0].nforced;
	shared->nwarnings = page->vproc[0].nwarnings;
}

static void child(int number)
{
	be_admitted();
	control->vproc[0].owner = 2;
	join(1, CPU);
	shared->ready++;
	while (shared->ready < 2)
		sched_yield();
	uint64_t before = cpu_us();

	if (number == 0) {
		special();
	} else {
		while (!shared->is_over)
			;
	}
	shared->cpu[number] = cpu_us() - before;
	_exit(0);
}

int main(int argc, char **argv)
{
	int status;

	if (argc != 2)
		return 2;
	kind = argv[1];
	alarm(60);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared->soonest_us = UINT64_MAX;
	pin(0);
	for (int i = 0; i < 2; i++)
		if (fork() == 0)
			child(i);
	while (shared->ready < 2)
		usleep(1000);
	sleep(SECONDS);
	shared->is_over = 1;
	for (int i = 0; i < 2; i++) {
		CHECK(wait(&status) > 0);
		CHECK(is("rubbish") || status == 0);
	}
	unsigned long all = shared->cpu[0] + shared->cpu[1];
	unsigned share = all ? (unsigned)(shared->cpu[1] * 100 / all) : 0;

	printf("%s: the other got %u %% of %lu ms; %u forced, %u warned, %u seen\n", kind, share, all / 1000,
	       shared->nforced, shared->nwarnings, shared->seen);
	/* Of a machine that is shared: a wide margin. */
	if (is("rubbish"))
		CHECK(shared->cpu[1] > SECONDS * 1000000ul / 8);
	else
		CHECK(share >= 35 && share <= 65);
	if (is("cheat")) {
		printf("let run on %u times, for %lu us at most, not before %lu us after it was forced\n", shared->nowed,
		       (unsigned long)shared->longest_us, (unsigned long)shared->soonest_us);
		CHECK(shared->nforced > 0 && shared->nowed > 1);
		CHECK(shared->longest_us <= UPCALL_KERNEL_GRACE_US + LATE_US);
		CHECK(shared->soonest_us >= BAN_US && shared->soonest_us != UINT64_MAX);
	}
	CHECK((!is("owing") && !is("critical")) || (shared->nforced < shared->seen && shared->seen > 0));
	CHECK(!is("warned") || (shared->nwarnings > 0 && shared->seen > 0));
	return 0;
}
