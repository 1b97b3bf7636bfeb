// SPDX-License-Identifier: BSD-2-Clause
// Main had kept the kernel thread on which the process began, for the sake of a timer, and ended with it: that one stays
// listed, and was waited for in vain, until the process was aborted.
#include "../posix/harness.h"

enum { CHANGES = 3 };

static void *changes_user(void *arg UNUSED)
{
	for (int i = 0; i < CHANGES; i++) {
		sleep_ms(50);		/* main may have ended by then */
		CHECK_OK(setuid(getuid()));
	}
	exit(0);
}

int main(void)
{
	struct sigevent none = { .sigev_notify = SIGEV_NONE };
	timer_t timer;

	CHECK_OK(timer_create(CLOCK_THREAD_CPUTIME_ID, &none, &timer));
	spawn(changes_user, NULL);
	pthread_exit(NULL);
}
