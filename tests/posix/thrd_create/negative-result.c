// SPDX-License-Identifier: BSD-2-Clause
// A negative int result survives the join.
#include "../harness.h"
#include <threads.h>

static int body(void *arg UNUSED)
{
	return -7;
}

int main(void)
{
	thrd_t t;
	int res = 0;

	CHECK_EQ(thrd_create(&t, body, NULL), thrd_success);
	CHECK_EQ(thrd_join(t, &res), thrd_success);
	CHECK_EQ(res, -7);
}
