// SPDX-License-Identifier: BSD-2-Clause
// Code that runs on a stack of its own making, and has an alternate one for signals, finds nothing written below the
// first: as in Erlang's runtime, where that stack ends in the heap.
#include <ucontext.h>

#include "../posix/harness.h"

enum { THREADS = 4, STACK = 1 << 16, FREE = STACK / 2, ALT = 1 << 16, PATTERN = 0x5a };

struct runner {
	ucontext_t outside, inside;
	unsigned char made_up[STACK];
	unsigned long sum;
	bool is_whole;
};

static struct runner runners[THREADS];
static atomic_int stop;

/* Calls nothing: what is written far below its frame is a signal's. */
static void compute(int i)
{
	struct runner *r = &runners[i];

	r->is_whole = true;
	while (!stop && r->is_whole) {
		for (int k = 0; k < FREE; k++) {
			r->sum += (unsigned)k;
			if (((volatile unsigned char *)r->made_up)[k] != PATTERN)
				r->is_whole = false;
		}
	}
}

static void *body(void *arg)
{
	struct runner *r = arg;
	stack_t alt = { .ss_sp = malloc(ALT), .ss_size = ALT }, none = { .ss_flags = SS_DISABLE };

	CHECK_OK(sigaltstack(&alt, NULL));
	memset(r->made_up, PATTERN, STACK);
	CHECK_OK(getcontext(&r->inside));
	r->inside.uc_stack.ss_sp = r->made_up;
	/* So that it begins just above what must stay as it is, with room for its own frames. */
	r->inside.uc_stack.ss_size = FREE + 1024;
	r->inside.uc_link = &r->outside;
	makecontext(&r->inside, (void (*)(void))compute, 1, (int)(r - runners));
	CHECK_OK(swapcontext(&r->outside, &r->inside));
	CHECK(r->is_whole);
	CHECK_OK(sigaltstack(&none, NULL));
	free(alt.ss_sp);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_create(&t[i], NULL, body, &runners[i]));
	sleep_ms(500);
	stop = 1;
	join_many(t, THREADS);
}
