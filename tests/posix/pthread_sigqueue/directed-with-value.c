// SPDX-License-Identifier: BSD-2-Clause
// pthread_sigqueue sends a value to one thread; its SA_SIGINFO handler sees it there.
#include "../harness.h"

static pthread_t target;
static atomic_int sum, calls, wrong;
static atomic_bool stop;

static void handler(int sig, siginfo_t *info, void *ctx UNUSED)
{
	if (sig != SIGRTMIN + 1 || info->si_code != SI_QUEUE ||
	    !pthread_equal(pthread_self(), target))
		wrong++;
	sum += info->si_value.sival_int;
	calls++;
}

static void *body(void *arg UNUSED)
{
	while (!stop)
		sleep_ms(1);
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };

	CHECK_OK(sigaction(SIGRTMIN + 1, &sa, NULL));
	target = spawn(body, NULL);
	settle();
	for (int i = 1; i <= 10; i++)
		CHECK_OK(pthread_sigqueue(target, SIGRTMIN + 1,
					  (union sigval){ .sival_int = i }));
	WAIT_FOR(calls == 10);
	stop = true;
	join(target);
	CHECK_EQ(sum, 55);
	CHECK_EQ(wrong, 0);
}
