// SPDX-License-Identifier: BSD-2-Clause
// A thread that waits for several words at once is woken by a FUTEX_WAKE of one of them, and counts as woken; one that
// waits for a single word beside it, too.
#include "../harness.h"

#include <linux/futex.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

struct waiter {
	uint64_t value, address;
	uint32_t flags, reserved;
};

enum { ROUNDS = 20, SIZE_32 = 2 };

static atomic_uint words[3];
static atomic_int waiting, woken;

static void *waits_for_any(void *arg)
{
	struct waiter w[3];

	for (int i = 0; i < 3; i++)
		w[i] = (struct waiter){ 0, (uintptr_t)&words[i], SIZE_32 | FUTEX_PRIVATE_FLAG, 0 };
	waiting++;
	long r = syscall(SYS_futex_waitv, w, 3, 0, NULL, 0);

	if (r >= 0)
		CHECK_EQ(r, (intptr_t)arg);
	else
		CHECK_EQ(errno, EAGAIN);
	woken++;
	return NULL;
}

static void *waits_for_one(void *arg)
{
	waiting++;
	long r = syscall(SYS_futex, &words[(intptr_t)arg], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);

	CHECK(r == 0 || errno == EAGAIN);
	woken++;
	return NULL;
}

int main(void)
{
	if (syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) < 0 && errno == ENOSYS)
		return 77;
	for (intptr_t i = 0; i < ROUNDS; i++) {
		intptr_t which = i % 3;
		pthread_t one, any;
		long n = 0;

		waiting = woken = 0;
		any = spawn(waits_for_any, (void *)which);
		one = spawn(waits_for_one, (void *)which);
		WAIT_FOR(waiting == 2);
		sleep_ms(i % 2 ? 5 : 0);
		words[which] = 1;
		n = syscall(SYS_futex, &words[which], FUTEX_WAKE_PRIVATE, 10, NULL, NULL, 0);
		CHECK(n >= 0 && n <= 2);
		WAIT_FOR(woken == 2);
		join(one);
		join(any);
		words[which] = 0;
		CHECK_EQ(syscall(SYS_futex, &words[which], FUTEX_WAKE_PRIVATE, 10, NULL, NULL, 0), 0);
	}
	return 0;
}
