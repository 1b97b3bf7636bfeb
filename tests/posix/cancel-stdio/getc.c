// SPDX-License-Identifier: BSD-2-Clause
// A thread that waits in stdio's input can be cancelled, and the stream stays usable by others.
#include "../cancel.h"

static FILE *in;

static void call(void *arg UNUSED)
{
	getc(in);
}

int main(void)
{
	int p[2];

	CHECK_OK(pipe(p));
	in = fdopen(p[0], "r");
	check_cancels(call, NULL);
	CHECK_EQ(write(p[1], "ab\n", 3), 3);
	CHECK_EQ(getc(in), 'a');
}
