// SPDX-License-Identifier: BSD-2-Clause
// A cancelled read takes nothing: what is written afterwards is there for the next reader.
#include "../harness.h"

static int fd[2];
static atomic_bool in;

static void *body(void *arg)
{
	char c;

	in = true;
	(void)!read(fd[0], &c, 1);
	return arg;
}

int main(void)
{
	char c = 0;

	CHECK_OK(pipe(fd));
	for (int i = 0; i < 10; i++) {
		in = false;
		pthread_t t = spawn(body, NULL);

		WAIT_FOR(in);
		sleep_ms(i & 1 ? 3 : 0);
		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
		CHECK_EQ(write(fd[1], "x", 1), 1);
		CHECK_EQ(read(fd[0], &c, 1), 1);
		CHECK_EQ(c, 'x');
	}
}
