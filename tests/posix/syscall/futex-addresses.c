// SPDX-License-Identifier: BSD-2-Clause
// A futex operation looks at both its addresses before it touches either: EINVAL where one is not a word's, EFAULT
// where it is none of the program's.  Waiters that are moved to where they are count as moved.
#include "../harness.h"

#include <linux/futex.h>

enum { WAITERS = 3 };

static atomic_uint words[4];
static atomic_int waiting;

static void *waits(void *arg)
{
	waiting++;
	CHECK_OK(syscall(SYS_futex, &words[0], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0));
	return arg;
}

int main(void)
{
	void *odd = (char *)words + 6, *kernels = (void *)-8L;
	pthread_t t[WAITERS];
	long n = 0;

	CHECK_ERRNO(syscall(SYS_futex, words, FUTEX_WAKE_OP_PRIVATE, 1, 1, odd, FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0)),
		    EINVAL);
	CHECK(!words[1] && !words[2]);
	CHECK_ERRNO(syscall(SYS_futex, words, FUTEX_REQUEUE_PRIVATE, 1, 1, odd, 0), EINVAL);
	CHECK_ERRNO(syscall(SYS_futex, words, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, odd, 0), EINVAL);
	CHECK_ERRNO(syscall(SYS_futex, kernels, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0), EFAULT);
	CHECK_ERRNO(syscall(SYS_futex, words, FUTEX_REQUEUE_PRIVATE, 1, 1, kernels, 0), EFAULT);

	spawn_many(t, WAITERS, waits);
	WAIT_FOR(waiting == WAITERS);
	settle();
	WAIT_FOR(syscall(SYS_futex, words, FUTEX_REQUEUE_PRIVATE, 0, INT_MAX, words, 0) == WAITERS);
	CHECK_EQ(syscall(SYS_futex, words, FUTEX_REQUEUE_PRIVATE, 0, 2, words, 0), 2);
	CHECK_EQ(syscall(SYS_futex, words, FUTEX_REQUEUE_PRIVATE, 1, INT_MAX, words, 0), WAITERS);
	n = syscall(SYS_futex, words, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	CHECK_EQ(n, WAITERS - 1);
	join_many(t, WAITERS);
}
