// SPDX-License-Identifier: BSD-2-Clause
// sigqueue passes its value; signal 0 only looks; a bad number is EINVAL.
#include "../harness.h"

static siginfo_t last;
static atomic_int calls;

static void handler(int sig UNUSED, siginfo_t *info, void *uc UNUSED)
{
	last = *info;
	calls++;
}

static void *body(void *arg)
{
	CHECK_OK(sigqueue(getpid(), 0, (union sigval){ 0 }));
	CHECK_ERRNO(sigqueue(getpid(), 65, (union sigval){ 0 }), EINVAL);
	CHECK_OK(sigqueue(getpid(), SIGRTMIN + 2, (union sigval){ .sival_ptr = &last }));
	WAIT_FOR(calls == 1);
	CHECK(last.si_value.sival_ptr == &last);
	CHECK_EQ(last.si_code, SI_QUEUE);
	return arg;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	CHECK_OK(sigaction(SIGRTMIN + 2, &sa, NULL));
	join(spawn(body, NULL));
}
