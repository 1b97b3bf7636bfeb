// SPDX-License-Identifier: BSD-2-Clause
// A handler without SA_RESTART makes a blocked read fail with EINTR.
#include "../harness.h"

static int p[2];
static atomic_bool over;

static void handler(int sig UNUSED)
{
}

static void *body(void *arg UNUSED)
{
	char c;

	CHECK_ERRNO(read(p[0], &c, 1), EINTR);
	over = true;
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, 0);
	CHECK_OK(pipe(p));
	t = spawn(body, NULL);
	while (!over) {
		settle();
		if (!over)
			CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	join(t);
}
