// SPDX-License-Identifier: BSD-2-Clause
// syscall(SYS_futex) waits and wakes between threads: value mismatch, wake counts, timeout.
#include "../harness.h"
#include <linux/futex.h>

static atomic_int word;
static atomic_int woken, waiting;

static long futex(int op, int val, const struct timespec *t)
{
	return syscall(SYS_futex, &word, op | FUTEX_PRIVATE_FLAG, val, t, NULL, 0);
}

static void *body(void *arg UNUSED)
{
	waiting++;
	while (word == 0)
		if (futex(FUTEX_WAIT, 0, NULL) == -1)
			CHECK(errno == EAGAIN || errno == EINTR);
	woken++;
	return NULL;
}

static void *timed(void *arg UNUSED)
{
	struct timespec t = ms_span(30);
	uint64_t start = now_ns();

	CHECK_ERRNO(futex(FUTEX_WAIT, 0, &t), ETIMEDOUT);
	CHECK(now_ns() - start >= 29000000);
	CHECK_ERRNO(futex(FUTEX_WAIT, 1, &t), EAGAIN);
	return NULL;
}

int main(void)
{
	pthread_t t[5];

	join(spawn(timed, NULL));
	CHECK_EQ(futex(FUTEX_WAKE, 1, NULL), 0);
	spawn_many(t, 5, body);
	WAIT_FOR(waiting == 5);
	settle();
	word = 1;
	CHECK(futex(FUTEX_WAKE, INT_MAX, NULL) <= 5);
	join_many(t, 5);
	CHECK_EQ(woken, 5);
}
