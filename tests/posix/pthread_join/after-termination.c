// SPDX-License-Identifier: BSD-2-Clause
// A thread that has terminated already can still be joined, and gives its value.
#include "../harness.h"

static atomic_bool leaving;

static void *body(void *arg)
{
	leaving = true;
	return arg;
}

int main(void)
{
	int x;
	pthread_t t = spawn(body, &x);

	WAIT_FOR(leaving);
	settle();
	CHECK(join(t) == &x);
}
