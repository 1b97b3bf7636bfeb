// SPDX-License-Identifier: BSD-2-Clause
// Detached threads end by themselves and what they held is used again: many more than would fit.
// None ends before it has been detached: glibc's pthread_detach (2.36) looks at such a thread once more, which may be
// unmapped by then, in the moment of its end.
#include "../harness.h"

static atomic_int ended, detached;

static void *body(void *arg)
{
	WAIT_FOR(detached > (intptr_t)arg);
	ended++;
	return NULL;
}

int main(void)
{
	for (intptr_t i = 0; i < 1000; i++) {
		CHECK_OK(pthread_detach(spawn(body, (void *)i)));
		detached++;
		if (i % 50 == 49)
			WAIT_FOR(ended == i + 1);
	}
	WAIT_FOR(ended == 1000);
}
