// SPDX-License-Identifier: BSD-2-Clause
// The main thread, on a stack of its own making, as OCaml 5 has for each effect, was made to give way with a frame below its
// stack pointer, though it has an alternate signal stack: what lay there was lost.
#include "../posix/harness.h"
#include <ucontext.h>

enum { BYTES = 64 * 1024, USED = 1024, PAINT = 0xA5, OTHERS = 6, MS = 300 };

static char own[2][BYTES], alt[2][BYTES];
static ucontext_t back[2], there[2];
static atomic_bool stop;
static size_t looked[2];
static long changed[2];

static void computes(int i)
{
	volatile char here = 0;
	size_t free_bytes = (uintptr_t)&here - (uintptr_t)own[i] - USED;
	long n = 0;

	while (!stop)
		;
	for (size_t k = 0; k < free_bytes && k < BYTES; k++)
		n += ((volatile unsigned char *)own[i])[k] != PAINT;
	looked[i] = free_bytes;
	changed[i] = n;
}

static void *on_its_own(void *arg)
{
	int i = arg != NULL;
	stack_t ss = { .ss_sp = alt[i], .ss_size = BYTES };

	CHECK_OK(sigaltstack(&ss, NULL));
	memset(own[i], PAINT, BYTES);
	CHECK_OK(getcontext(&there[i]));
	there[i].uc_stack = (stack_t){ .ss_sp = own[i], .ss_size = BYTES };
	there[i].uc_link = &back[i];
	makecontext(&there[i], (void (*)(void))computes, 1, i);
	CHECK_OK(swapcontext(&back[i], &there[i]));
	CHECK(looked[i] > BYTES / 2 && looked[i] < BYTES);
	CHECK_EQ(changed[i], 0);
	return NULL;
}

static void *ends_it(void *arg)
{
	sleep_ms(MS);
	stop = true;
	return arg;
}

static void *works(void *arg)
{
	while (!stop)
		;
	return arg;
}

int main(void)
{
	pthread_t t[OTHERS], one, last;

	spawn_many(t, OTHERS, works);
	one = spawn(on_its_own, own);
	last = spawn(ends_it, NULL);
	on_its_own(NULL);
	join_many(t, OTHERS);
	join(one);
	join(last);
}
