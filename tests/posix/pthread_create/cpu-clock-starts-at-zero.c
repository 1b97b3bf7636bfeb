// SPDX-License-Identifier: BSD-2-Clause
// The CPU-time clock of a new thread starts near 0, however long its creator has computed.
#include "../harness.h"

static void *body(void *arg)
{
	CHECK(now_on(CLOCK_THREAD_CPUTIME_ID) < 30000000);
	while (now_on(CLOCK_THREAD_CPUTIME_ID) < 40000000)
		;
	return arg;
}

int main(void)
{
	for (int i = 0; i < 4; i++)
		join(spawn(body, NULL));
}
