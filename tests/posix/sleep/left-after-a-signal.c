// SPDX-License-Identifier: BSD-2-Clause
// sleep tells the seconds that were left when a handler ended it, with EINTR, and 0 after its whole time.
#include "../harness.h"

static atomic_bool sleeping, over;

static void handler(int sig UNUSED)
{
}

static void *body(void *arg)
{
	sleeping = true;
	errno = 0;
	unsigned left = sleep(20);
	int err = errno;

	over = true;
	CHECK(left >= 18 && left <= 20);
	CHECK_EQ(err, EINTR);
	CHECK_EQ(sleep(0), 0);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(sleeping);
	while (!over) {			/* a signal that comes before it sleeps interrupts nothing */
		settle();
		kill_if_there(t, SIGUSR1);
	}
	join(t);
}
