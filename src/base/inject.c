// SPDX-License-Identifier: BSD-2-Clause
/* Uses no verbs of atomic.h: they come by here. */
#include "inject.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../arch/arch.h"
#include "print.h"

enum { DELAY_EVERY = 64, SPIN_MAX = 2000, NAP_NS = 30 * 1000 };

unsigned inject_kinds;
static uint64_t seed;
static _Atomic uint64_t counter;
static _Atomic _Bool sleeps_not;

static const struct { const char *name; unsigned kind; } names[] = {
	{ "delay", INJECT_DELAY }, { "lost", INJECT_LOST }, { "late", INJECT_LATE },
	{ "doubled", INJECT_DOUBLED }, { "swapped", INJECT_SWAPPED }, { "blocked", INJECT_BLOCKED },
	{ "migrate", INJECT_MIGRATE }, { "all", INJECT_ALL },
};

static unsigned kind_of(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == length && memcmp(names[i].name, word, length) == 0)
			return names[i].kind;
	complain("UPCALL_INJECT: there is no kind like '%s'", word);
	return 0;
}

void inject_init(void)
{
	const char *text = secure_getenv("UPCALL_INJECT");
	char *at;

	if (!text)
		return;
	seed = strtoull(text, &at, 0);
	while (*at) {
		size_t length = strcspn(++at, ",");

		inject_kinds |= kind_of(at, length);
		at += length;
	}
}

/* splitmix64 of a number that all share. */
static uint64_t next_random(void)
{
	uint64_t z = seed + 0x9e3779b97f4a7c15u * atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

unsigned inject_below(unsigned n)
{
	return (unsigned)((next_random() >> 32) % n);
}

_Bool inject_now(enum inject_kind kind, unsigned n)
{
	return (inject_kinds & kind) && inject_below(n) == 0;
}

void inject_no_sleeps(void)
{
	atomic_store_explicit(&sleeps_not, 1, memory_order_relaxed);	/* who has not seen it yet sleeps once more */
}

void inject_delay(void)
{
	const struct timespec nap = { 0, NAP_NS };

	if (inject_below(DELAY_EVERY))
		return;
	switch (inject_below(16)) {
	case 0:
		if (!atomic_load_explicit(&sleeps_not, memory_order_relaxed))
			arch_syscall2(SYS_nanosleep, (long)&nap, 0);
		break;
	case 1:				/* seldom: where many programs run it is long */
		arch_syscall0(SYS_sched_yield);
		break;
	default:
		for (unsigned i = inject_below(SPIN_MAX); i; i--)
			arch_pause();
	}
}
