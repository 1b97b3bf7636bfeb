// SPDX-License-Identifier: BSD-2-Clause
// A writer that waits on a full pipe gets EPIPE when the last reader closes it.
#include "../harness.h"

static int p[2];
static atomic_bool near;

static void *body(void *arg UNUSED)
{
	static char data[1 << 20];

	near = true;
	CHECK(write(p[1], data, sizeof data) < (ssize_t)sizeof data);
	CHECK_ERRNO(write(p[1], data, 1), EPIPE);
	return NULL;
}

int main(void)
{
	pthread_t t;

	signal(SIGPIPE, SIG_IGN);
	CHECK_OK(pipe(p));
	t = spawn(body, NULL);
	WAIT_FOR(near);
	settle();
	CHECK_OK(close(p[0]));
	join(t);
}
