// SPDX-License-Identifier: BSD-2-Clause
// sigtimedwait fails with EAGAIN after its time, not before; with zero it polls.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	sigset_t s = set_of(SIGUSR1);
	uint64_t start = now_ns();

	CHECK_ERRNO(sigtimedwait(&s, NULL, &(struct timespec){ .tv_nsec = 30000000 }), EAGAIN);
	CHECK(now_ns() - start >= 30000000);
	CHECK_ERRNO(sigtimedwait(&s, NULL, &(struct timespec){ 0 }), EAGAIN);
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_EQ(sigtimedwait(&s, NULL, &(struct timespec){ 0 }), SIGUSR1);
	return NULL;
}

int main(void)
{
	block_signal(SIGUSR1);
	join(spawn(body, NULL));
}
