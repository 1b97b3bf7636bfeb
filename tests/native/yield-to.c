// SPDX-License-Identifier: BSD-2-Clause
/*
 * upcall_yield_to: with one vproc, who is parked or ready runs next, whoever waits before it, however many such there
 * were in a row, but not for ever; who cannot be had (it has ended, or a kernel thread of its own, or is the caller)
 * has its token.
 */
#include <stdatomic.h>
#include <upcall/stats.h>

#include "check.h"

/* CHAIN: many times the woken ones that run in a row.  PASSES_MAX: others wait for some milliseconds, not for ever. */
enum { CHAIN = 200, OTHERS = 3, TRIES = 20, PASSES_MAX = 6000000 };

static char ran[10000];			/* a letter for each turn, in order */
static unsigned turns;
static uint64_t began, preemptions_before;
static atomic_bool is_over;

static void note(char letter)
{
	if (turns < sizeof(ran) - 1)
		ran[turns++] = letter;
}

/* Since begin(): how often somebody had to give way because others had waited for long, as on a busy machine. */
static uint64_t preemptions(void)
{
	struct upcall_stats s = { .size = sizeof(s) };

	CHECK_IS(upcall_stats(&s), 0);
	return s.preemptions - preemptions_before;
}

/* They are woken before each pass, and so before others that are ready. */
static upcall_t others[OTHERS];

static void *note_when_woken(void *arg)
{
	while (upcall_park() == 0 && !is_over)
		note('-');
	return arg;
}

static void wake_others(void)
{
	for (int i = 0; i < OTHERS; i++)
		upcall_unpark(others[i]);
}

static void pass_to(upcall_t thread)
{
	wake_others();
	upcall_yield_to(thread);
}

static void begin(void)
{
	is_over = false;
	for (int i = 0; i < OTHERS; i++)
		others[i] = spawn(note_when_woken, NULL);
	for (int i = 0; i < 3; i++)
		upcall_yield();
	memset(ran, 0, sizeof(ran));
	turns = 0;
	preemptions_before += preemptions();
	began = upcall_now();
}

static void end(void)
{
	is_over = true;
	wake_others();
	for (int i = 0; i < OTHERS; i++)
		join(others[i]);
}

/*
 * What was named ran in this order, again and again; and others in between only as often as half a millisecond was over,
 * after which they have their turn: at first for what came before, then by the time that all of it took; or who passed
 * was preempted.
 */
static void check_passes(const char *name, const char *letters, unsigned n)
{
	enum { TURN_US = 400 };
	unsigned groups = 0, named = 0;

	for (unsigned i = 0; named < n && i < turns; i++)
		if (ran[i] != '-')
			CHECK(ran[i] == letters[named++ % strlen(letters)]);
		else
			groups += !i || ran[i - 1] != '-';
	if (named == n && groups <= 2 + preemptions() + (upcall_now() - began) / (TURN_US * 1000))
		return;
	dprintf(2, "%s: %u of %u, others in between %u times: %.300s\n", name, named, n, groups, ran);
	_exit(1);
}

/* Each is parked, and passes the vproc on to the next one. */
static upcall_t chain[CHAIN];

static void *pass_on(void *arg)
{
	size_t i = (size_t)arg;

	CHECK_IS(upcall_park(), 0);
	note('c');
	if (i + 1 < CHAIN)
		pass_to(chain[i + 1]);
	return NULL;
}

static void parked(void)
{
	for (size_t i = 0; i < CHAIN; i++)
		chain[i] = spawn(pass_on, (void *)i);
	begin();
	pass_to(chain[0]);
	for (size_t i = 0; i < CHAIN; i++)
		join(chain[i]);
	check_passes("parked", "c", CHAIN);
	end();
}

/* Two of those that are ready pass it on to each other. */
static upcall_t pair[2];

static void *pass_back(void *arg)
{
	size_t i = (size_t)arg;

	CHECK_IS(upcall_park(), 0);
	for (int n = 0; n < CHAIN; n++) {
		note("ab"[i]);
		pass_to(pair[!i]);
	}
	return NULL;
}

static void ready(void)
{
	for (size_t i = 0; i < 2; i++)
		pair[i] = spawn(pass_back, (void *)i);
	begin();
	pass_to(pair[0]);
	for (size_t i = 0; i < 2; i++)
		join(pair[i]);
	check_passes("ready", "ab", 2 * CHAIN);
	end();
}

/* Those that have just been made, the last one first; or, where a new one runs at once, their makers, the first one. */
static upcall_t made[OTHERS], maker;

static void *begin_late(void *arg)
{
	note("012"[(size_t)arg]);
	return NULL;
}

static void *make_next(void *arg)
{
	size_t i = (size_t)arg;

	if (i + 1 < OTHERS) {
		made[i + 1] = spawn(make_next, (void *)(i + 1));
	} else {
		note('m');
		upcall_yield_to(maker);
	}
	note("012"[i]);
	return NULL;
}

/* Leaving the others out. */
static bool begins_with(const char *letters)
{
	const char *at = ran;

	for (; *letters; letters++, at++) {
		at += strspn(at, "-");
		if (*at != *letters)
			return false;
	}
	return true;
}

/* True: what was named ran first, or others had to.  Who makes some for longer than a millisecond gives way to them. */
static bool new(void)
{
	begin();
	if (test_flags & UPCALL_NO_TLS) {
		maker = upcall_self();
		made[0] = spawn(make_next, (void *)0);
		note('m');
	} else {
		for (size_t i = 0; i < OTHERS; i++)
			made[i] = spawn(begin_late, (void *)i);
		for (size_t i = OTHERS; i--; )
			upcall_yield_to(made[i]);
	}
	bool is_right = preemptions() || begins_with(test_flags & UPCALL_NO_TLS ? "mm" : "2");

	end();
	for (size_t i = 0; i < OTHERS; i++)
		join(made[i]);
	return is_right;
}

/* However long two go on so, the others have their turns. */
static atomic_int others_turns;
static long passes;

static void *pass_on_and_on(void *arg)
{
	CHECK_IS(upcall_park(), 0);
	for (; others_turns < OTHERS; passes++)
		upcall_yield_to(pair[!(size_t)arg]);
	return NULL;
}

static void *wait_by_yielding(void *arg)
{
	for (; others_turns < OTHERS; others_turns++)
		upcall_yield();
	return arg;
}

static void nobody_starves(void)
{
	upcall_t other = spawn(wait_by_yielding, NULL);

	for (size_t i = 0; i < 2; i++)
		pair[i] = spawn(pass_on_and_on, (void *)i);
	upcall_yield_to(pair[0]);
	for (size_t i = 0; i < 2; i++)
		join(pair[i]);
	join(other);
	CHECK(passes < PASSES_MAX);
}

static void *take_token(void *arg)
{
	CHECK_IS(upcall_park(), 0);
	return arg;
}

static void elsewhere(void)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t = spawn(begin_late, NULL);

	upcall_sleep(MS);
	upcall_yield_to(t);			/* it has ended */
	join(t);
	attr.flags = UPCALL_BOUND;
	CHECK_IS(upcall_create(&t, &attr, take_token, NULL), 0);
	upcall_yield_to(t);
	join(t);
	upcall_yield_to(upcall_self());
	CHECK_IS(upcall_park(), 0);
	CHECK_IS(upcall_park_until(upcall_after(MS)), -ETIMEDOUT);
}

static void test(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;

	if (getenv("UPCALL_INJECT"))
		exit(SKIP);		/* bad luck sends threads that are ready anywhere */
	options.vprocs = 1;
	CHECK_IS(upcall_init(&options), 0);
	parked();
	ready();
	int tries = 0;

	while (!new())
		CHECK(++tries < TRIES);
	nobody_starves();
	elsewhere();
}
