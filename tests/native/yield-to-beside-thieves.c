// SPDX-License-Identifier: BSD-2-Clause
// Threads that yield to each other, ready, parked or running, while other vprocs take from their queues: each goes on.
// A machine that others keep busy has time for fewer rounds.
#include "check.h"

#include <stdatomic.h>

enum { THREADS = 8, ROUNDS = 20000, ROUNDS_MIN = 20, VPROCS = 4, LONGEST_S = 15 };

static upcall_t t[THREADS];
static unsigned rounds[THREADS];
static atomic_bool may_begin;
static uint64_t latest;

static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 16;
}

static void *yield_to_any(void *arg)
{
	size_t i = (size_t)arg;
	unsigned random = (unsigned)i;

	while (!may_begin)
		upcall_yield();
	for (int n = 0; n < ROUNDS && (n < ROUNDS_MIN || upcall_now() < latest); n++) {
		upcall_yield_to(t[next_random(&random) % THREADS]);
		rounds[i]++;
		if (next_random(&random) % 4)
			continue;
		int err = upcall_park_until(upcall_after(MS / 20));

		CHECK(err == 0 || err == -ETIMEDOUT);
	}
	return arg;
}

static void test(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;

	options.vprocs = VPROCS;
	CHECK_IS(upcall_init(&options), 0);
	for (size_t i = 0; i < THREADS; i++)
		t[i] = spawn(yield_to_any, (void *)i);
	latest = upcall_after(LONGEST_S * 1000 * MS);
	may_begin = true;
	for (size_t i = 0; i < THREADS; i++)
		CHECK_IS(join(t[i]), i);
	for (size_t i = 0; i < THREADS; i++)
		CHECK(rounds[i] == ROUNDS || (rounds[i] >= ROUNDS_MIN && upcall_now() >= latest));
}
