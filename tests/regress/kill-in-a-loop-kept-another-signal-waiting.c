// SPDX-License-Identifier: BSD-2-Clause
// A thread that is sent one standard signal in a loop gets the others, too: each is pending once, and all that are
// pending and admitted are delivered.
#include "../posix/harness.h"

enum { ROUNDS = 200 };

static atomic_int first, second, real_time, is_over;

static void count_it(int sig)
{
	(*(sig == SIGUSR1 ? &first : sig == SIGUSR2 ? &second : &real_time))++;
}

static void *send_in_a_loop(void *arg)
{
	while (!is_over)
		CHECK_OK(kill(getpid(), SIGUSR1));
	return arg;
}

static void *admit(void *arg)
{
	sigset_t none;

	sigemptyset(&none);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &none, NULL));
	while (!is_over)	/* without a call, which would look at what is pending */
		;
	return arg;
}

int main(void)
{
	int signals[] = { SIGUSR1, SIGUSR2, SIGRTMIN };
	sigset_t all;

	sigfillset(&all);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &all, NULL));
	for (int i = 0; i < 3; i++)
		CHECK_OK(sigaction(signals[i], &(struct sigaction){ .sa_handler = count_it }, NULL));
	pthread_t sender = spawn(send_in_a_loop, NULL), target = spawn(admit, NULL);

	for (int round = 1; round <= ROUNDS; round++) {
		CHECK_OK(kill(getpid(), SIGUSR2));
		CHECK_OK(sigqueue(getpid(), SIGRTMIN, (union sigval){ 0 }));
		WAIT_FOR(second == round && real_time == round);
	}
	is_over = 1;
	join(sender);
	join(target);
	CHECK(first > 0);
}
