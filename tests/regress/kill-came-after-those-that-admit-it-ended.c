// SPDX-License-Identifier: BSD-2-Clause
// What a thread sends to the own process, and blocks itself, reaches a thread that admits it even if that one
// waits for a mutex and ends right after it has got it.
#include "../posix/harness.h"

enum { THREADS = 4, ROUNDS = 300, SIGNALS = 8 };

static pthread_mutex_t gate[THREADS];
static atomic_int ready, handled;

static void on_rt_signal(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
	ready++;
	CHECK_OK(pthread_mutex_lock(&gate[(intptr_t)arg]));
	CHECK_OK(pthread_mutex_unlock(&gate[(intptr_t)arg]));
	return NULL;
}

int main(void)
{
	sigset_t all;

	sigfillset(&all);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &all, NULL));
	CHECK_OK(sigaction(SIGRTMIN, &(struct sigaction){ .sa_handler = on_rt_signal }, NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_mutex_init(&gate[i], NULL));
	for (int round = 0; round < ROUNDS; round++) {
		pthread_t t[THREADS];

		ready = handled = 0;
		for (intptr_t i = 0; i < THREADS; i++) {
			CHECK_OK(pthread_mutex_lock(&gate[i]));
			t[i] = spawn(body, (void *)i);
		}
		WAIT_FOR(ready == THREADS);
		for (int i = 0; i < SIGNALS; i++)
			CHECK_OK(kill(getpid(), SIGRTMIN));
		for (int i = 0; i < THREADS; i++)
			CHECK_OK(pthread_mutex_unlock(&gate[i]));
		for (int i = 0; i < THREADS; i++)
			join(t[i]);
		CHECK_EQ(handled, SIGNALS);
	}
}
