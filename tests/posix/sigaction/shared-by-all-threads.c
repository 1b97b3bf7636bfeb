// SPDX-License-Identifier: BSD-2-Clause
// Actions belong to the process: what one thread sets, another one's signal uses.
#include "../harness.h"

static atomic_int first_calls, second_calls, step;

static void first(int sig UNUSED)
{
	first_calls++;
}

static void second(int sig UNUSED)
{
	second_calls++;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_EQ(first_calls, 1);
	step = 1;
	WAIT_FOR(step == 2);
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_EQ(second_calls, 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, first, 0);
	t = spawn(body, NULL);
	WAIT_FOR(step == 1);
	on_signal(SIGUSR1, second, 0);
	step = 2;
	join(t);
	CHECK_EQ(first_calls, 1);
}
