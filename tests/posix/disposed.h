// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads that use an object together, round after round; the one that is entitled to destroys it and disposes of its
 * memory at once, while others may still be on their way out of their last call.  The memory is unmapped then, or
 * filled and looked at when all are out.
 */
#ifndef DISPOSED_H
#define DISPOSED_H

#include "harness.h"

enum { DISPOSED_BYTES = 4096, DISPOSED_MARK = 0x5a, DISPOSED_USERS = 4, DISPOSED_ROUNDS = 3000, DISPOSED_MS = 1500,
       DISPOSED_KINDS = 48 };	/* of objects, before one comes again */

struct disposed {
	void (*make)(void *object, int round);	/* of bytes 0; a process-shared one where is_shared */
	void (*use)(void *object, int user, int round);
};

static struct disposed disposed;
static pthread_barrier_t disposed_gate;
static void *disposed_object;
static int disposed_round;
static bool disposed_is_over;

static inline bool disposed_is_shared(int round)
{
	return round % 3 == 2;
}

static inline bool disposed_is_filled(int round)
{
	return round % 3 == 1;
}

/* By the one that has destroyed the object. */
static inline void dispose(void *object, int round)
{
	if (disposed_is_filled(round))
		memset(object, DISPOSED_MARK, DISPOSED_BYTES);
	else
		CHECK_OK(munmap(object, DISPOSED_BYTES));
}

static inline void disposed_look(void)
{
	const char *byte = disposed_object;

	if (!disposed_is_filled(disposed_round))
		return;
	for (int i = 0; i < DISPOSED_BYTES; i++)
		CHECK_EQ(byte[i], DISPOSED_MARK);
	CHECK_OK(munmap(disposed_object, DISPOSED_BYTES));
}

static inline void disposed_begin(uint64_t end_ns)
{
	int flags = MAP_ANONYMOUS | (disposed_is_shared(disposed_round) ? MAP_SHARED : MAP_PRIVATE);

	disposed_is_over = disposed_round == DISPOSED_ROUNDS || now_ns() > end_ns;
	if (disposed_is_over)
		return;
	disposed_object = mmap(NULL, DISPOSED_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
	CHECK(disposed_object != MAP_FAILED);
	disposed.make(disposed_object, disposed_round);
}

static inline void *disposed_user(void *arg)
{
	uint64_t end_ns = now_ns() + DISPOSED_MS * 1000000ull;
	int user = (int)(intptr_t)arg;

	for (;;) {
		if (user == 0)
			disposed_begin(end_ns);
		pthread_barrier_wait(&disposed_gate);
		if (disposed_is_over)
			return NULL;
		for (volatile int i = 0; i < (disposed_round * (user + 3)) % 97; i++)
			;
		disposed.use(disposed_object, user, disposed_round);
		pthread_barrier_wait(&disposed_gate);
		if (user == 0) {
			disposed_look();
			do
				disposed_round++;
			while (disposed_round < DISPOSED_ROUNDS && !is_due((unsigned)disposed_round / DISPOSED_KINDS, 4));
		}
	}
}

static inline void disposed_run(struct disposed d)
{
	pthread_t t[DISPOSED_USERS];

	disposed = d;
	CHECK_OK(pthread_barrier_init(&disposed_gate, NULL, DISPOSED_USERS));
	spawn_many(t, DISPOSED_USERS, disposed_user);
	join_many(t, DISPOSED_USERS);
	CHECK_OK(pthread_barrier_destroy(&disposed_gate));
}

#endif
