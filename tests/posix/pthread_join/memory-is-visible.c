// SPDX-License-Identifier: BSD-2-Clause
// What the thread wrote is visible to the one that joined it.
#include "../harness.h"

static int data[64];

static void *body(void *arg)
{
	for (int i = 0; i < 64; i++)
		data[i] = (int)(intptr_t)arg;
	return NULL;
}

int main(void)
{
	for (intptr_t r = 1; r <= 200; r++) {
		join(spawn(body, (void *)r));
		for (int i = 0; i < 64; i++)
			CHECK_EQ(data[i], r);
	}
}
