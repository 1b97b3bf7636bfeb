// SPDX-License-Identifier: BSD-2-Clause
// thrd_sleep gives -1 and the rest when a handler ends it.
#include "../harness.h"

#include <threads.h>

static atomic_bool sleeping, over;

static void handler(int sig UNUSED)
{
}

static void *body(void *arg)
{
	struct timespec t = ms_span(5000), rest = { 0 };

	sleeping = true;
	CHECK_EQ(thrd_sleep(&t, &rest), -1);
	over = true;
	CHECK(rest.tv_sec >= 3 && rest.tv_sec <= 5);	/* the kernel's allowance comes on top */
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(sleeping);
	while (!over) {			/* a signal that comes before it sleeps interrupts nothing */
		settle();
		kill_if_there(t, SIGUSR1);
	}
	join(t);
}
