// SPDX-License-Identifier: BSD-2-Clause
// Cancelling a thread that has ended but is not joined changes nothing: its value stays.
#include "../harness.h"

static atomic_bool over;

static void *body(void *arg)
{
	over = true;
	return arg;
}

int main(void)
{
	int x;
	pthread_t t = spawn(body, &x);

	WAIT_FOR(over);
	settle();
	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == &x);
}
