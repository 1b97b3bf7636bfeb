// SPDX-License-Identifier: BSD-2-Clause
// Cancelling a thread that has returned but was not joined succeeds (or says ESRCH) and leaves its
// value.
#include "../cancel.h"

static atomic_bool leaving;

static void *body(void *arg)
{
	leaving = true;
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, &leaving);
	int rc;

	WAIT_FOR(leaving);
	sleep_ms(50);
	rc = pthread_cancel(t);
	CHECK(rc == 0 || rc == ESRCH);
	CHECK(join(t) == &leaving);
}
