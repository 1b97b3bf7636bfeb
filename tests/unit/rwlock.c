// SPDX-License-Identifier: BSD-2-Clause
/* Readers and writers: who goes together, who goes first, and what a waiter that gives up leaves. */
#include "threads.h"

#include "sync/rwlock.h"

static const struct deadline forever;
static struct rwlock lock;
static bool prefers_writers;
static struct au32 got;

static bool try_read(void)
{
	uint32_t seen;

	return rwlock_try_read(&lock, &seen);
}

static void *reader(void *arg)
{
	if (!try_read())
		CHECK(rwlock_read_slow(&lock, forever, prefers_writers) == 0);
	fetch_add(&got, 1);
	return arg;
}

static void *writer(void *arg)
{
	if (!rwlock_try_write(&lock))
		CHECK(rwlock_write_slow(&lock, forever, prefers_writers) == 0);
	fetch_add(&got, 0x100);
	return arg;
}

static void drop(void)
{
	rwlock_drop(&lock, prefers_writers);
}

static pthread_t start(void *(*fn)(void *), int n)
{
	pthread_t t = spawn(fn, NULL);

	WAIT_FOR(queued(lot_key(&lock, LOT_RWLOCK)) == n);
	return t;
}

/* A writer holds; two readers and a writer wait.  Readers first, both; then the writer. */
static void test_readers_first(void)
{
	pthread_t w, r1, r2;

	prefers_writers = false;
	store_relaxed(&got, 0);
	CHECK(rwlock_try_write(&lock));
	CHECK(!try_read() && !rwlock_try_write(&lock));
	w = start(writer, 1);
	r1 = start(reader, 2);
	r2 = start(reader, 3);
	drop();
	join(r1);
	join(r2);
	CHECK(load_acquire(&got) == 2);
	CHECK(try_read());		/* a waiting writer does not keep readers out */
	drop();
	drop();
	CHECK(queued(lot_key(&lock, LOT_RWLOCK)) == 1);
	drop();
	join(w);
	CHECK(load_acquire(&got) == 0x102);
	drop();
	CHECK(load_relaxed(&lock.word) == 0);
}

static void test_writers_first(void)
{
	pthread_t w, r;

	prefers_writers = true;
	store_relaxed(&got, 0);
	CHECK(try_read());
	w = start(writer, 1);
	CHECK(!try_read());		/* waits behind the writer */
	r = start(reader, 2);
	drop();
	join(w);
	CHECK(load_acquire(&got) == 0x100);
	drop();
	join(r);
	drop();
	CHECK(load_relaxed(&lock.word) == 0);
}

/* Readers that waited behind a writer go on when it gives up. */
static void *timed_writer(void *arg)
{
	CHECK(rwlock_write_slow(&lock, (struct deadline){ .at = arg, .clock = CLOCK_MONOTONIC }, true) == ETIMEDOUT);
	return NULL;
}

static void test_writer_gives_up(void)
{
	struct timespec at;
	pthread_t w, r;

	prefers_writers = true;
	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += 1;
	CHECK(try_read());
	w = spawn(timed_writer, &at);
	WAIT_FOR(queued(lot_key(&lock, LOT_RWLOCK)) == 1);
	r = start(reader, 2);
	join(w);
	join(r);
	drop();
	drop();
	CHECK(load_relaxed(&lock.word) == 0);
}

enum { THREADS = 6, ROUNDS = 6000 };
static volatile long left, right;

static void *mix(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		if ((i + (intptr_t)arg) % 4) {
			reader(NULL);
			CHECK(left == right);
		} else {
			writer(NULL);
			left = left + 1;
			right = right + 1;
		}
		drop();
	}
	return NULL;
}

static void test_mix(bool writers)
{
	pthread_t t[THREADS];

	prefers_writers = writers;
	left = right = 0;
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(mix, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK(left == (long)THREADS * ROUNDS / 4);
	CHECK(load_relaxed(&lock.word) == 0);
}

int main(void)
{
	alarm(60);
	test_readers_first();
	test_writers_first();
	test_writer_gives_up();
	test_mix(false);
	test_mix(true);
	return 0;
}
