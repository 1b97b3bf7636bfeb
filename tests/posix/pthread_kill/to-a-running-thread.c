// SPDX-License-Identifier: BSD-2-Clause
// A handler runs in the thread that pthread_kill names while it computes.
#include "../harness.h"

static pthread_t target;
static atomic_int handled, wrong;
static atomic_bool stop, ready;

static void handler(int sig UNUSED)
{
	if (!pthread_equal(pthread_self(), target))
		wrong++;
	handled++;
}

static void *body(void *arg UNUSED)
{
	volatile unsigned long n = 0;

	ready = true;
	while (!stop)
		n = n + 1;
	return NULL;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	target = spawn(body, NULL);
	WAIT_FOR(ready);
	for (int i = 1; i <= 20; i++) {
		CHECK_OK(pthread_kill(target, SIGUSR1));
		WAIT_FOR(handled == i);
	}
	stop = true;
	join(target);
	CHECK_EQ(wrong, 0);
}
