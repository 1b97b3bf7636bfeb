// SPDX-License-Identifier: BSD-2-Clause
// Who is cancelled, and tries to join a thread that has ended, joins it.
#include "../harness.h"

static atomic_bool is_joined;

static void *tries(void *arg)
{
	pthread_t t = spawn(nothing, arg);
	void *value = NULL;
	int rc;

	CHECK_OK(pthread_cancel(pthread_self()));
	while ((rc = pthread_tryjoin_np(t, &value)) == EBUSY)
		sched_yield();
	CHECK_OK(rc);
	CHECK(value == arg);
	is_joined = true;
	pthread_testcancel();
	return arg;
}

int main(void)
{
	CHECK(join(spawn(tries, &is_joined)) == PTHREAD_CANCELED);
	CHECK(is_joined);
	return 0;
}
