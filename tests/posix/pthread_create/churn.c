// SPDX-License-Identifier: BSD-2-Clause
// Threads may be created and joined without end: what a dead thread held is used again.
#include "../harness.h"

static void *body(void *arg)
{
	volatile char page[8192];

	page[0] = page[8191] = 1;
	return (char *)arg + page[0];
}

int main(void)
{
	for (intptr_t i = 0; i < 3000; i++)
		CHECK_EQ((intptr_t)join(spawn(body, (void *)i)), i + 1);
}
