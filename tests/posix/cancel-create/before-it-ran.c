// SPDX-License-Identifier: BSD-2-Clause
// A thread that is cancelled right after its creation ends at its first cancellation point.
#include "../cancel.h"

static atomic_int passed;

static void *body(void *arg UNUSED)
{
	pthread_testcancel();
	for (;;)
		pause();
	passed++;
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 200; i++) {
		pthread_t t = spawn(body, NULL);

		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
	}
	CHECK_EQ(passed, 0);
}
