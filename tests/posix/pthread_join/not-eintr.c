// SPDX-License-Identifier: BSD-2-Clause
// A signal handler that runs in a thread that joins does not end its wait.
#include "../harness.h"

static atomic_int handled;
static atomic_bool over, joining;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *target(void *arg)
{
	WAIT_FOR(over);
	return arg;
}

static void *joiner(void *arg)
{
	pthread_t t = spawn(target, arg);

	joining = true;
	CHECK(join(t) == arg);
	CHECK(over);
	return NULL;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	pthread_t t = spawn(joiner, &over);

	WAIT_FOR(joining);
	for (int i = 1; i <= 3; i++) {
		settle();
		CHECK_OK(pthread_kill(t, SIGUSR1));
		WAIT_FOR(handled == i);
	}
	over = true;
	join(t);
}
