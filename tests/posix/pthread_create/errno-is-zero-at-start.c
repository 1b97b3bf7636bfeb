// SPDX-License-Identifier: BSD-2-Clause
// A new thread's errno is its own and starts at 0, whatever its creator's is.
#include "../harness.h"

static void *body(void *arg)
{
	CHECK_EQ(errno, 0);
	errno = ERANGE;
	return arg;
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		errno = EDOM;
		pthread_t t = spawn(body, NULL);

		CHECK_EQ(errno, EDOM);
		join(t);
		CHECK_EQ(errno, EDOM);
	}
}
