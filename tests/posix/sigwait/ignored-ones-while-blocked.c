// SPDX-License-Identifier: BSD-2-Clause
// A signal that is ignored, by default or by SIG_IGN, still ends a sigwait while all threads block it.
#include "../harness.h"

static atomic_int ready, got;

static void *body(void *arg)
{
	sigset_t s = set_of(*(int *)arg);
	int sig;

	ready++;
	CHECK_OK(sigwait(&s, &sig));
	CHECK_EQ(sig, *(int *)arg);
	got++;
	return NULL;
}

int main(void)
{
	static int sigs[] = { SIGWINCH, SIGUSR2, SIGUSR2 };
	pthread_t t[3];

	block_signal(SIGWINCH);
	block_signal(SIGUSR2);
	CHECK(signal(SIGUSR2, SIG_IGN) != SIG_ERR);
	for (int i = 0; i < 3; i++)
		t[i] = spawn(body, &sigs[i]);
	WAIT_FOR(ready == 3);
	settle();
	for (int i = 0; i < 3; i++) {
		CHECK_OK(kill(getpid(), sigs[i]));
		WAIT_FOR(got == i + 1);
	}
	join_many(t, 3);
}
