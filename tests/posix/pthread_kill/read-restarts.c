// SPDX-License-Identifier: BSD-2-Clause
// With SA_RESTART a blocked read goes on after the handler and gets the data.
#include "../harness.h"

static int p[2];
static atomic_int handled;
static pthread_t reader;
static atomic_int wrong;

static void handler(int sig UNUSED)
{
	if (!pthread_equal(pthread_self(), reader))
		wrong++;
	handled++;
}

static void *body(void *arg UNUSED)
{
	char c = 0;

	CHECK_EQ(read(p[0], &c, 1), 1);
	CHECK_EQ(c, 'x');
	return NULL;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	CHECK_OK(pipe(p));
	reader = spawn(body, NULL);
	for (int i = 1; i <= 5; i++) {
		settle();
		CHECK_OK(pthread_kill(reader, SIGUSR1));
		WAIT_FOR(handled == i);
	}
	CHECK_EQ(write(p[1], "x", 1), 1);
	join(reader);
	CHECK_EQ(wrong, 0);
}
