// SPDX-License-Identifier: BSD-2-Clause
// SIGPIPE goes to the thread that wrote.
#include "../harness.h"

static pthread_t writer;
static atomic_int handled, wrong;
static int p[2];

static void handler(int sig UNUSED)
{
	if (!pthread_equal(pthread_self(), writer))
		wrong++;
	handled++;
}

static void *body(void *arg UNUSED)
{
	writer = pthread_self();
	CHECK_ERRNO(write(p[1], "x", 1), EPIPE);
	CHECK_EQ(handled, 1);
	return NULL;
}

int main(void)
{
	on_signal(SIGPIPE, handler, 0);
	CHECK_OK(pipe(p));
	CHECK_OK(close(p[0]));
	join(spawn(body, NULL));
	CHECK_EQ(wrong, 0);
}
