// SPDX-License-Identifier: BSD-2-Clause
// Detached threads end by themselves and what they held is used again: many more than would fit.
#include "../harness.h"

static atomic_int ended;

static void *body(void *arg UNUSED)
{
	ended++;
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		CHECK_OK(pthread_detach(spawn(body, NULL)));
		if (i % 50 == 49)
			WAIT_FOR(ended == i + 1);
	}
	WAIT_FOR(ended == 1000);
}
