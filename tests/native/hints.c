// SPDX-License-Identifier: BSD-2-Clause
/*
 * Hints of where a thread starts: while two vprocs have enough to do, a thread begins on the one that its maker names,
 * and those of a group begin on one, whichever vproc each of them was made on.
 */
#include "check.h"

#include <stdatomic.h>

/* MOST: the others may have blocked, as for a page, before they looked, and gone on elsewhere; on a busy machine more. */
enum { HOGS = 4, THREADS = 12, MOST = 10, GROUPS = 3, TRIES = 3, MAKERS = 1000 };

#define INJECTED_TRIES 20	/* injection lets a vproc that looks for work take threads meant for the other, now and then */

static atomic_bool is_over, seen[2];

static void *compute(void *arg)
{
	while (!is_over) {
		int vproc = upcall_vproc();

		CHECK(vproc == 0 || vproc == 1);
		seen[vproc] = true;
	}
	return arg;
}

static void *where(void *arg)
{
	*(int *)arg = upcall_vproc();
	return NULL;
}

static upcall_t create(unsigned flags, unsigned vproc, unsigned group, void *(*fn)(void *), void *arg)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	attr.flags = flags;
	attr.vproc = vproc;
	attr.group = group;
	CHECK_IS(upcall_create(&t, &attr, fn, arg), 0);
	return t;
}

static bool begin_there(unsigned vproc)
{
	upcall_t t[THREADS];
	int began[THREADS], there = 0;

	for (int i = 0; i < THREADS; i++)
		t[i] = create(UPCALL_ON_VPROC, vproc, 0, where, &began[i]);
	for (int i = 0; i < THREADS; i++) {
		join(t[i]);
		there += began[i] == (int)vproc;
	}
	return there >= MOST;
}

struct member { unsigned group; int made, began; };

static void *make_member(void *arg)
{
	struct member *m = arg;
	int before;
	upcall_t t;

	do {				/* between two looks it may have gone on elsewhere */
		before = upcall_vproc();
		t = create(0, 0, m->group, where, &m->began);
		m->made = upcall_vproc();
		join(t);
	} while (m->made != before);
	return NULL;
}

static bool begin_together(unsigned group)
{
	struct member m[THREADS];
	upcall_t t[THREADS];
	unsigned began_on[2] = { 0, 0 };

	for (unsigned i = 0; i < THREADS; i++) {
		m[i].group = group;
		t[i] = create(UPCALL_ON_VPROC, i % 2, 0, make_member, &m[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		join(t[i]);
		for (int more = 0; m[i].made != i % 2; more++) {	/* its maker went to the other vproc first */
			CHECK(more < MAKERS);
			join(create(UPCALL_ON_VPROC, (unsigned)i % 2, 0, make_member, &m[i]));
		}
		began_on[m[i].began]++;
	}
	return began_on[0] >= MOST || began_on[1] >= MOST;
}

static void check_soon(bool (*begin)(unsigned number), unsigned number)
{
	int tries = getenv("UPCALL_INJECT") ? INJECTED_TRIES : TRIES;

	for (int i = 0; i < tries; i++)
		if (begin(number))
			return;
	CHECK(!"they begin elsewhere");
}

static void test(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;
	upcall_t hogs[HOGS];

	if (test_flags & UPCALL_NO_TLS)
		return;			/* such threads run at once, where their maker is */
	options.vprocs = 2;
	CHECK_IS(upcall_init(&options), 0);
	if (upcall_vprocs() != 2) {
		printf("skip: not two vprocs\n");
		exit(SKIP);
	}
	for (unsigned i = 0; i < HOGS; i++)
		hogs[i] = create(UPCALL_ON_VPROC, i % 2, 0, compute, NULL);
	for (uint64_t end = upcall_after(20000 * MS); !seen[0] || !seen[1]; upcall_sleep(MS))
		CHECK(upcall_now() < end);
	check_soon(begin_there, 0);
	check_soon(begin_there, 1);
	for (unsigned group = 1; group <= GROUPS; group++)
		check_soon(begin_together, group);
	is_over = true;
	for (int i = 0; i < HOGS; i++)
		join(hogs[i]);
}
