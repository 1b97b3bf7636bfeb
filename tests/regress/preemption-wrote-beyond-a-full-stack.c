// SPDX-License-Identifier: BSD-2-Clause
// A thread that computes with next to nothing of its stack left, where others want the processor, and the program has no
// alternate stack: what an interruption keeps was written beyond the end, which was SIGSEGV, or the program's memory there.
#include "../posix/harness.h"

enum { COMPUTING = 4, ROUNDS = 3, SPAN_MS = 80, STACK = 256 << 10, BELOW = 64 << 10 };

static const unsigned char pattern = 0x5a;
static atomic_bool stop, is_there, is_over;
static size_t left;

/* Down to there, and then it computes, without a call. */
static __attribute__((noinline)) int descend(const char *low)
{
	volatile char frame[64];

	frame[0] = 1;
	if ((uintptr_t)frame - (uintptr_t)low > 128)
		return descend(low) + frame[0];
	for (is_there = true; !is_over;)
		;
	return 0;
}

static void *computes_low(void *arg)
{
	pthread_attr_t attr;
	size_t bytes;
	void *low;

	CHECK_OK(pthread_getattr_np(pthread_self(), &attr));
	CHECK_OK(pthread_attr_getstack(&attr, &low, &bytes));
	CHECK_OK(pthread_attr_destroy(&attr));
	CHECK(descend((char *)low + left) > 0);
	return arg;
}

static void *computes(void *arg)
{
	while (!stop)
		;
	return arg;
}

static void on_stack_of(void *memory)
{
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&attr));
	if (memory)
		CHECK_OK(pthread_attr_setstack(&attr, (char *)memory + BELOW, STACK));
	else
		CHECK_OK(pthread_attr_setstacksize(&attr, STACK));
	is_there = is_over = false;
	CHECK_OK(pthread_create(&t, &attr, computes_low, NULL));
	WAIT_FOR(is_there);
	sleep_ms(SPAN_MS);
	is_over = true;
	join(t);
	CHECK_OK(pthread_attr_destroy(&attr));
}

int main(void)
{
	unsigned char *memory = mmap(NULL, BELOW + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t t[COMPUTING];

	CHECK(memory != MAP_FAILED);
	memset(memory, pattern, BELOW);
	spawn_many(t, COMPUTING, computes);
	for (int i = 0; i < ROUNDS; i++) {
		left = 600 + (size_t)i * 1500;
		on_stack_of(NULL);
		on_stack_of(memory);
		for (size_t at = 0; at < BELOW; at++)
			CHECK_EQ(memory[at], pattern);
	}
	stop = true;
	join_many(t, COMPUTING);
}
