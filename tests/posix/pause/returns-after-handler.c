// SPDX-License-Identifier: BSD-2-Clause
// pause returns -1 with EINTR after a handler ran in the thread.
#include "../harness.h"

static atomic_bool over;
static __thread volatile int mine;

static void handler(int sig UNUSED)
{
	mine++;
}

static void *body(void *arg UNUSED)
{
	while (mine == 0)
		CHECK_ERRNO(pause(), EINTR);
	over = true;
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, 0);
	t = spawn(body, NULL);
	while (!over) {
		settle();
		if (!over)
			CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	join(t);
	CHECK_EQ(mine, 0);
}
