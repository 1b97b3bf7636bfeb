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
	pthread_t t;

	if (!__GLIBC_PREREQ(2, 34))
		skip("glibc says ESRCH before 2.34");
	t = spawn(body, &x);
	WAIT_FOR(over);
	settle();
	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == &x);
}
