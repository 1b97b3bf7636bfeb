// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread drops a semaphore, or a mutex, and takes it back at once, before who was woken for it can look; again and
 * again.  Who waits has it after a few times all the same, and keeps its place before those who came later.
 */
#include "check.h"

#include <upcall/stats.h>

enum { WAITERS = 3, TIMES_MAX = 8 };

static struct upcall_sem sem;
static struct upcall_mutex mutex;
static unsigned had[WAITERS], nhad;		/* guarded by either */

static void take_sem(void)
{
	CHECK_IS(upcall_sem_wait(&sem), 0);
}

static void drop_sem(void)
{
	CHECK_IS(upcall_sem_post(&sem), 0);
}

static int try_sem(void)
{
	return upcall_sem_trywait(&sem);
}

static void take_mutex(void)
{
	CHECK_IS(upcall_mutex_lock(&mutex), 0);
}

static void drop_mutex(void)
{
	CHECK_IS(upcall_mutex_unlock(&mutex), 0);
}

static int try_mutex(void)
{
	return upcall_mutex_trylock(&mutex);
}

static const struct kind {
	void (*take)(void), (*drop)(void);
	int (*try)(void);
	enum upcall_wait wait;
} kinds[] = {
	{ take_sem, drop_sem, try_sem, UPCALL_WAIT_SEM },
	{ take_mutex, drop_mutex, try_mutex, UPCALL_WAIT_MUTEX },
}, *kind;

static void await_wait(upcall_t t)
{
	struct upcall_thread_info info = { .size = sizeof(info) };

	for (uint64_t start = upcall_now(); info.wait != kind->wait; upcall_sleep(MS / 10)) {
		CHECK(upcall_now() - start < 20000 * MS);
		CHECK_IS(upcall_info(t, &info), 0);
	}
}

static void *want(void *arg)
{
	kind->take();
	had[nhad++] = (unsigned)(uintptr_t)arg;
	kind->drop();
	return arg;
}

/* True when others had it meanwhile: else it is the caller's again, which does not make room for whom it wakes. */
static bool give(void)
{
	unsigned before = nhad;

	upcall_nopreempt_begin();
	kind->drop();
	bool is_ours = kind->try() == 0;

	upcall_nopreempt_end();
	if (is_ours)
		return nhad != before;
	kind->take();
	return true;
}

static void test_kind(void)
{
	upcall_t t[WAITERS];

	nhad = 0;
	kind->take();
	for (uintptr_t i = 0; i < WAITERS; i++) {
		t[i] = spawn(want, (void *)i);
		await_wait(t[i]);
	}
	for (unsigned times = 0; nhad < WAITERS; times = give() ? 0 : times + 1) {
		CHECK(times < TIMES_MAX);
		for (unsigned i = nhad; i < WAITERS; i++)	/* the caller has it: none of them can */
			await_wait(t[i]);
	}
	kind->drop();
	for (uintptr_t i = 0; i < WAITERS; i++)
		CHECK(had[i] == i && join(t[i]) == (void *)i);
}

static void test(void)
{
	CHECK_IS(upcall_sem_init(&sem, 1), 0);
	for (kind = kinds; kind < kinds + sizeof(kinds) / sizeof(kinds[0]); kind++)
		test_kind();
}
