// SPDX-License-Identifier: BSD-2-Clause
// thrd_create runs the function, thrd_join gives its int result, thrd_exit does the same.
#include "../harness.h"
#include <threads.h>

static int returns(void *arg)
{
	return *(int *)arg + 1;
}

static int exits(void *arg)
{
	thrd_exit(*(int *)arg + 2);
}

int main(void)
{
	thrd_t t;
	int x = 40, res = 0;

	for (int i = 0; i < 50; i++) {
		CHECK_EQ(thrd_create(&t, returns, &x), thrd_success);
		CHECK_EQ(thrd_join(t, &res), thrd_success);
		CHECK_EQ(res, 41);
		CHECK_EQ(thrd_create(&t, exits, &x), thrd_success);
		CHECK_EQ(thrd_join(t, &res), thrd_success);
		CHECK_EQ(res, 42);
	}
	CHECK_EQ(thrd_create(&t, returns, &x), thrd_success);
	CHECK_EQ(thrd_join(t, NULL), thrd_success);
}
