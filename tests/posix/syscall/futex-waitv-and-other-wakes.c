// SPDX-License-Identifier: BSD-2-Clause
// Who waits for several words at once, or by futex_wait of Linux 6.7, is woken by FUTEX_WAKE_OP, by FUTEX_CMP_REQUEUE
// and by FUTEX_WAKE as any other waiter is; and futex_wake wakes those who wait by FUTEX_WAIT.
#include "../harness.h"

#include <linux/futex.h>

enum { NR_WAITV = 449, NR_WAKE = 454, NR_WAIT = 455, SIZE_32 = 2, PRIVATE = 128 };

struct waiter {
	uint64_t value, address;
	uint32_t flags, reserved;
};

static atomic_uint words[2], other;
static atomic_int waiting;

static void *waits_for_any(void *arg)
{
	struct waiter w[2];
	struct timespec limit = in_ms(CLOCK_MONOTONIC, PATIENCE_MS);

	for (int i = 0; i < 2; i++)
		w[i] = (struct waiter){ 0, (uintptr_t)&words[i], SIZE_32 | PRIVATE, 0 };
	waiting = 1;
	CHECK_EQ(syscall(NR_WAITV, w, 2, 0, &limit, CLOCK_MONOTONIC), (intptr_t)arg);
	return NULL;
}

static void *waits_newly(void *arg)
{
	struct timespec limit = in_ms(CLOCK_MONOTONIC, PATIENCE_MS);

	waiting = 1;
	CHECK_OK(syscall(NR_WAIT, &words[0], 0L, 0xffffffffL, SIZE_32 | PRIVATE, &limit, CLOCK_MONOTONIC));
	return arg;
}

static void *waits_as_ever(void *arg)
{
	struct timespec limit = ms_span(PATIENCE_MS);

	waiting = 1;
	CHECK_OK(syscall(SYS_futex, &words[0], FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0));
	return arg;
}

static pthread_t waiter(void *(*fn)(void *), intptr_t arg)
{
	pthread_t t;

	waiting = 0;
	t = spawn(fn, (void *)arg);
	WAIT_FOR(waiting);
	settle();
	return t;
}

/* One wake-up is enough; a waiter that is not there yet gets another. */
#define WAKE(call) WAIT_FOR((call) == 1)

int main(void)
{
	unsigned add_if_77 = FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 77);
	unsigned set_if_0 = FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 0);
	pthread_t t;

	if (syscall(NR_WAITV, NULL, 0, 0, NULL, 0) < 0 && errno == ENOSYS)
		skip("no futex_waitv");
	t = waiter(waits_for_any, 1);
	WAKE(syscall(SYS_futex, &words[1], FUTEX_WAKE_OP_PRIVATE, 1, 0, &other, add_if_77));
	join(t);
	other = 0;
	t = waiter(waits_for_any, 0);
	WAKE(syscall(SYS_futex, &other, FUTEX_WAKE_OP_PRIVATE, 1, 1, &words[0], set_if_0));
	join(t);
	t = waiter(waits_for_any, 1);
	WAKE(syscall(SYS_futex, &words[1], FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, &other, 0));
	join(t);
	if (syscall(NR_WAKE, &words[0], 0xffffffffL, 1, SIZE_32 | PRIVATE) < 0 && (errno == ENOSYS || errno == EPERM))
		skip("no futex_wake");
	t = waiter(waits_as_ever, 0);
	WAKE(syscall(NR_WAKE, &words[0], 0xffffffffL, 1, SIZE_32 | PRIVATE));
	join(t);
	t = waiter(waits_newly, 0);
	WAKE(syscall(SYS_futex, &words[0], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	join(t);
	/* A signal sends who was moved back to where it waited first: by Linux, natively too. */
	t = waiter(waits_newly, 0);
	WAKE(syscall(SYS_futex, &words[0], FUTEX_REQUEUE_PRIVATE, 0, 1, &words[1], 0) < 0 ? -1 :
	     syscall(SYS_futex, &words[1], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
	join(t);
}
