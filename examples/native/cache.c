// SPDX-License-Identifier: BSD-2-Clause
/*
 * A cache that many read and few write.  The first one who comes makes it, and each thread counts what
 * it found in a value of its own, which is added up where the thread ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <upcall/upcall.h>

enum { THREADS = 40, LOOKUPS = 2000, ENTRIES = 256 };

static struct upcall_once once;
static struct upcall_rwlock lock;
static upcall_key_t tally;
static unsigned long *square_root;	/* 0: not computed yet */
static long found, computed, wrong;

static void add_up(void *hits)
{
	__atomic_fetch_add(&found, *(long *)hits, __ATOMIC_RELAXED);
	free(hits);
}

static void make_cache(void *arg)
{
	(void)arg;
	square_root = calloc(ENTRIES, sizeof(*square_root));
	if (upcall_key_create(&tally, add_up))
		abort();
}

static void count_hit(void)
{
	long *hits = upcall_key_get(tally);

	if (!hits) {
		hits = calloc(1, sizeof(*hits));
		upcall_key_set(tally, hits);
	}
	++*hits;
}

static unsigned long compute(unsigned long n)
{
	unsigned long root = 1;

	upcall_sleep(10000);			/* it is a long way to where this is known */
	while (root * root < n)
		root++;
	return root;
}

static unsigned long look_up(unsigned long i)
{
	unsigned long root;

	upcall_rwlock_read(&lock);
	root = square_root[i];
	upcall_rwlock_unlock(&lock);
	if (root) {
		count_hit();
		return root;
	}
	upcall_rwlock_write(&lock);
	if (!square_root[i]) {			/* nobody was faster */
		square_root[i] = compute((i + 1) * (i + 1));
		computed++;
	}
	root = square_root[i];
	upcall_rwlock_unlock(&lock);
	return root;
}

static void *use(void *arg)
{
	unsigned long at = (unsigned long)arg;

	upcall_once_run(&once, make_cache, NULL);
	for (int i = 0; i < LOOKUPS; i++, at = at * 5 + 3)
		if (look_up(at % ENTRIES) != at % ENTRIES + 1)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	upcall_t thread[THREADS];

	for (long i = 0; i < THREADS; i++)
		if (upcall_create(&thread[i], NULL, use, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		upcall_join(thread[i], NULL);
	printf("%ld of %d were there, %ld were computed\n", found, THREADS * LOOKUPS, computed);
	free(square_root);
	return wrong != 0 || computed != ENTRIES || found < THREADS * (LOOKUPS - ENTRIES);
}
