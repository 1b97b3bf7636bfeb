// SPDX-License-Identifier: BSD-2-Clause
// Each operation of futex(2) on private words, by number: what it returns, whom it wakes, when it
// gives up.
#include "../harness.h"

#include <linux/futex.h>

#define N 4

static uint32_t word, word2;
static atomic_int awake;

static long futex(uint32_t *w, int op, uint32_t value, const void *timeout, uint32_t *w2, uint32_t value3)
{
	return syscall(SYS_futex, w, op | FUTEX_PRIVATE_FLAG, value, timeout, w2, value3);
}

static long number(int n)
{
	return n;
}

/* Waits with a bit of its own, as long as it takes. */
static void *sleeper(void *arg)
{
	CHECK_OK(futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 1u << (intptr_t)arg));
	awake++;
	return NULL;
}

/* Threads cannot be seen to sleep; a requeue of all of them to where they are counts them. */
static void await_sleepers(uint32_t *w, int n)
{
	WAIT_FOR(futex(w, FUTEX_CMP_REQUEUE, 0, (void *)number(N), &word2, *w) >= 0 &&
		 futex(&word2, FUTEX_CMP_REQUEUE, 0, (void *)number(N), w, word2) == n);
}

static void start(pthread_t *t)
{
	awake = 0;
	spawn_many(t, N, sleeper);
	await_sleepers(&word, N);
}

static void test_wait(void)
{
	struct timespec t = ms_span(20), bad = { 0, 1000000000 };
	uint64_t before = now_ns();

	CHECK_ERRNO(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0), EAGAIN);
	CHECK_ERRNO(futex(&word, FUTEX_WAIT, 0, &t, NULL, 0), ETIMEDOUT);
	CHECK(now_ns() - before >= 20000000);
	CHECK_ERRNO(futex(&word, FUTEX_WAIT, 0, &bad, NULL, 0), EINVAL);
	CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0), EINVAL);
	CHECK_ERRNO(futex((uint32_t *)((char *)&word + 1), FUTEX_WAIT, 0, &t, NULL, 0), EINVAL);
	t = in_ms(CLOCK_MONOTONIC, 10);
	CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET, 0, &t, NULL, ~0u), ETIMEDOUT);
	t = in_ms(CLOCK_REALTIME, 10);
	CHECK_ERRNO(futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &t, NULL, ~0u), ETIMEDOUT);
	CHECK_EQ(futex(&word, FUTEX_WAKE, 10, NULL, NULL, 0), 0);
}

static void test_wake(void)
{
	pthread_t t[N];

	start(t);
	CHECK_EQ(futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0), 1);
	WAIT_FOR(awake == 1);
	CHECK_EQ(futex(&word, FUTEX_WAKE, 1000, NULL, NULL, 0), N - 1);
	join_many(t, N);
}

static void test_wake_by_bits(void)
{
	pthread_t t[N];

	start(t);
	CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET, N, NULL, NULL, 1u << N), 0);
	CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET, N, NULL, NULL, 1u << 2), 1);
	join(t[2]);
	CHECK_ERRNO(futex(&word, FUTEX_WAKE_BITSET, N, NULL, NULL, 0), EINVAL);
	CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET, N, NULL, NULL, ~0u), N - 1);
	join(t[0]);
	join(t[1]);
	join(t[3]);
}

static void test_requeue(void)
{
	pthread_t t[N];

	start(t);
	CHECK_ERRNO(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)number(1), &word2, 7), EAGAIN);
	/* One wakes, one moves, two stay. */
	CHECK_EQ(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)number(1), &word2, 0), 2);
	WAIT_FOR(awake == 1);
	CHECK_EQ(futex(&word2, FUTEX_WAKE, N, NULL, NULL, 0), 1);
	CHECK_EQ(futex(&word, FUTEX_WAKE, N, NULL, NULL, 0), 2);
	join_many(t, N);
}

static void test_wake_op(void)
{
	pthread_t t[N];

	word2 = 5;
	start(t);
	/* word2 += 3; was it equal to 5?  Then those who wait on word2, nobody, wake too. */
	CHECK_EQ(futex(&word, FUTEX_WAKE_OP, 1, (void *)number(N), &word2,
		       FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 5)), 1);
	CHECK_EQ(word2, 8);
	/* The sleepers are on the second word: woken only when the comparison holds. */
	word2 = 0;
	CHECK_EQ(futex(&word2, FUTEX_WAKE_OP, 1, (void *)number(1), &word,
		       FUTEX_OP(FUTEX_OP_SET, 9, FUTEX_OP_CMP_NE, 0)), 0);
	CHECK_EQ(word, 9);
	CHECK_EQ(futex(&word2, FUTEX_WAKE_OP, 1, (void *)number(N), &word,
		       FUTEX_OP(FUTEX_OP_ANDN, 1, FUTEX_OP_CMP_GT, 8)), N - 1);
	CHECK_EQ(word, 8);
	word = 0;
	join_many(t, N);
}

int main(void)
{
	test_wait();
	test_wake();
	test_wake_by_bits();
	test_requeue();
	test_wake_op();
}
