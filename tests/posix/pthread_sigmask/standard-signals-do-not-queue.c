// SPDX-License-Identifier: BSD-2-Clause
// A blocked standard signal that is sent several times is delivered once, a real-time one each time.
#include "../harness.h"

static atomic_int standard, real;

static void on_standard(int sig UNUSED)
{
	standard++;
}

static void on_real(int sig UNUSED)
{
	real++;
}

static void *body(void *arg)
{
	block_signal(SIGUSR1);
	block_signal(SIGRTMIN + 1);
	for (int i = 0; i < 5; i++) {
		CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
		CHECK_OK(pthread_kill(pthread_self(), SIGRTMIN + 1));
	}
	CHECK_EQ(standard + real, 0);
	unblock_signal(SIGUSR1);
	CHECK_EQ(standard, 1);
	unblock_signal(SIGRTMIN + 1);
	CHECK_EQ(real, 5);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, on_standard, 0);
	on_signal(SIGRTMIN + 1, on_real, 0);
	join(spawn(body, NULL));
}
