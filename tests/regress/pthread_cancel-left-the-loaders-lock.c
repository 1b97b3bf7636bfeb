// SPDX-License-Identifier: BSD-2-Clause
// A thread that is cancelled while it sleeps in libc's own call has been found with the loader's lock
// in its hands: it was looking up the function that cancels it when the cancellation came a second
// time.  Then dlsym, and exit, waited for ever.  One time in several hundred, and only where events
// are delayed and falsified (tests/run --mode inject); without that this can hardly fail.
#include "../posix/harness.h"
#include <dlfcn.h>

static _Noreturn void *sleeper(void *arg)
{
	atomic_int *begun = arg;

	(*begun)++;
	for (;;) {
		usleep(500);
		pthread_testcancel();
	}
}

static void cancels(void)
{
	atomic_int begun = 0;
	pthread_t t = spawn(sleeper, &begun);

	WAIT_FOR(begun == 1);
	usleep(300);
	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(dlsym(RTLD_DEFAULT, "malloc") != NULL);
}

/* A function is looked up once in a process. */
int main(void)
{
	for (int i = 0; i < 20; i++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			cancels();
			exit(0);
		}
		CHECK_EQ(waitpid(child, &status, 0), child);
		CHECK_EQ(status, 0);
	}
}
