// SPDX-License-Identifier: BSD-2-Clause
// thrd_exit gives the result to thrd_join, from any depth; a detached thread just ends.
#include "../harness.h"

#include <threads.h>

static atomic_int ended;

static void (*volatile leave)(int) = thrd_exit;		/* lest the compiler take deeper for endless */

static void deeper(int n)
{
	if (n == 0)
		leave(-5);
	else
		deeper(n - 1);
}

static int body(void *arg)
{
	ended++;
	if (arg)
		deeper(10);
	return 1;
}

int main(void)
{
	thrd_t t;
	int rc = 0;

	CHECK_EQ(thrd_create(&t, body, &t), thrd_success);
	CHECK_EQ(thrd_join(t, &rc), thrd_success);
	CHECK_EQ(rc, -5);
	CHECK_EQ(thrd_create(&t, body, NULL), thrd_success);
	CHECK_EQ(thrd_detach(t), thrd_success);
	WAIT_FOR(ended == 2);
}
