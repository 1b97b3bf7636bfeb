// SPDX-License-Identifier: BSD-2-Clause
// A thread may cancel itself; it ends at its next cancellation point.
#include "../cancel.h"

static bool passed;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_cancel(pthread_self()));
	passed = true;
	pthread_testcancel();
	return NULL;
}

int main(void)
{
	CHECK(join(spawn(body, NULL)) == PTHREAD_CANCELED);
	CHECK(passed);
}
