// SPDX-License-Identifier: BSD-2-Clause
// preadv2 without an offset, of an empty pipe, is a cancellation point.
#include "../cancel.h"
#include <sys/uio.h>

static void call(void *arg)
{
	char c;
	struct iovec v = { &c, 1 };

	CHECK(preadv2(*(int *)arg, &v, 1, -1, 0) != -1);
}

int main(void)
{
	int p[2];

	CHECK_OK(pipe(p));
	check_cancels(call, &p[0]);
}
