// SPDX-License-Identifier: BSD-2-Clause
// read of an empty pipe is a cancellation point.
#include "../cancel.h"

static void call(void *arg)
{
	char c;

	CHECK(read(*(int *)arg, &c, 1) != -1);
}

int main(void)
{
	int p[2];

	CHECK_OK(pipe(p));
	check_cancels(call, &p[0]);
	CHECK_EQ(write(p[1], "x", 1), 1);
	call(&p[0]);
}
