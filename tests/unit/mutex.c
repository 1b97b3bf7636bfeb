// SPDX-License-Identifier: BSD-2-Clause
/* The one-word lock: exclusion, limits, nobody forgotten, nobody starved, memory free after unlock. */
#include "threads.h"

#include "sync/mutex.h"

enum { THREADS = 6, ROUNDS = 20000 };

static const struct deadline forever;
static struct au32 word;
static volatile long guarded;

static void take(struct au32 *w)
{
	if (!mutex_try(w, MUTEX_HELD))
		CHECK(mutex_lock_slow(w, MUTEX_HELD, NULL, forever) == 0);
}

static void *add(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		take(&word);
		guarded = guarded + 1;
		mutex_drop(&word);
	}
	return arg;
}

static void test_exclusion(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(add, NULL);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK(guarded == (long)THREADS * ROUNDS);
	CHECK(load_relaxed(&word) == MUTEX_FREE);
	CHECK(queued(&word) == 0);
}

static void test_limit(void)
{
	uint64_t before = now_ns();
	struct timespec at;

	take(&word);
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += 20000000;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	CHECK(mutex_lock_slow(&word, MUTEX_HELD, NULL, (struct deadline){ .at = &at, .clock = CLOCK_REALTIME }) == ETIMEDOUT);
	CHECK(now_ns() - before >= 20 * NS_PER_MS);
	/* The one that gave up left the word at "somebody may wait": only a slower drop. */
	CHECK(load_relaxed(&word) == MUTEX_WAITED);
	mutex_drop(&word);
	CHECK(mutex_try(&word, MUTEX_HELD));
	mutex_drop(&word);
}

static void *take_once(void *arg)
{
	take(&word);
	mutex_drop(&word);
	return arg;
}

/* One drop wakes one; the woken one remembers that others are queued. */
static void test_nobody_forgotten(void)
{
	pthread_t t[THREADS];

	take(&word);
	for (int i = 0; i < THREADS; i++) {
		t[i] = spawn(take_once, NULL);
		WAIT_FOR(queued(&word) == i + 1);
	}
	CHECK(load_relaxed(&word) == MUTEX_WAITED);
	mutex_drop(&word);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK(load_relaxed(&word) == MUTEX_FREE);
}

/* Against a thread that takes the lock again at once, the others still get it. */
static struct au32 stop, shares[THREADS];

static void *hog(void *arg)
{
	while (!load_relaxed(&stop)) {
		take(&word);
		for (volatile int i = 0; i < 300; i = i + 1)
			;
		mutex_drop(&word);
		fetch_add(&shares[(intptr_t)arg], 1);
	}
	return NULL;
}

static void test_nobody_starves(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(hog, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		WAIT_FOR(load_relaxed(&shares[i]) >= 20);
	store_relaxed(&stop, 1);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
}

/* The memory of a mutex may go as soon as somebody could lock and unlock it. */
struct object { struct au32 lock; uint32_t users; };

static void *use(void *arg)
{
	struct object *o = arg;
	bool is_last;

	take(&o->lock);
	is_last = --o->users == 0;
	mutex_drop(&o->lock);
	if (is_last) {
		o->lock = (struct au32){ 0x5a5a5a5a };
		free(o);
	}
	return NULL;
}

static void test_freed_after_unlock(void)
{
	for (int i = 0; i < 2000; i++) {
		struct object *o = calloc(1, sizeof(*o));
		pthread_t t;

		o->users = 2;
		t = spawn(use, o);
		use(o);
		join(t);
	}
}

int main(void)
{
	alarm(60);
	test_exclusion();
	test_limit();
	test_nobody_forgotten();
	test_nobody_starves();
	test_freed_after_unlock();
	return 0;
}
