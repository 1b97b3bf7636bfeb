// SPDX-License-Identifier: BSD-2-Clause
// If the routine is cancelled, it is as if pthread_once had never been called: a waiting caller
// runs it.
#include "../harness.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int calls, finished;

static void init(void)
{
	if (++calls == 1)
		for (;;)
			sleep_ms(5), pthread_testcancel();
	finished++;
}

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_once(&once, init));
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b;

	WAIT_FOR(calls == 1);
	b = spawn(body, NULL);
	settle();
	CHECK_OK(pthread_cancel(a));
	CHECK(join(a) == PTHREAD_CANCELED);
	CHECK(join(b) == NULL);
	CHECK_EQ(calls, 2);
	CHECK_EQ(finished, 1);
}
