// SPDX-License-Identifier: BSD-2-Clause
// A signal to a thread that has ended but was not joined has no effect and no error (or ESRCH).
#include "../harness.h"

static atomic_bool leaving;

static void *body(void *arg)
{
	leaving = true;
	return arg;
}

static void handler(int sig UNUSED)
{
	_exit(1);
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	int rc;

	on_signal(SIGUSR1, handler, 0);
	WAIT_FOR(leaving);
	sleep_ms(50);
	rc = pthread_kill(t, SIGUSR1);
	CHECK(rc == 0 || rc == ESRCH);
	settle();
	join(t);
}
