// SPDX-License-Identifier: BSD-2-Clause
// Interrupted, a relative sleep tells the rest, an absolute one leaves the argument alone.
#include "../harness.h"

static atomic_int sleeping;

static void handler(int sig UNUSED)
{
}

static void *body(void *arg)
{
	struct timespec t = ms_span(5000), rest = { 77, 77 }, at = in_ms(CLOCK_MONOTONIC, 5000);

	sleeping = 1;
	CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &rest), EINTR);
	CHECK(rest.tv_sec <= 5);		/* the kernel's allowance comes on top */
	rest = (struct timespec){ 77, 77 };
	sleeping = 2;
	CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, &rest), EINTR);
	CHECK(rest.tv_sec == 77 && rest.tv_nsec == 77);
	sleeping = 3;
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	pthread_t t = spawn(body, NULL);

	for (int i = 1; i <= 2; i++) {
		WAIT_FOR(sleeping >= i);
		/* One that comes before it sleeps interrupts nothing. */
		for (int tries = 0; tries < 100 && sleeping == i; tries++) {
			settle();
			kill_if_there(t, SIGUSR1);
		}
		WAIT_FOR(sleeping > i);
	}
	join(t);
}
