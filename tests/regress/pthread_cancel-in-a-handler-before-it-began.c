// SPDX-License-Identifier: BSD-2-Clause
/*
 * A signal and a cancellation that were there before a thread began: its handler ran before libc could unwind to the
 * thread's first frame, and where it was a cancellation point the thread jumped to an address of nothing.  The same
 * after the thread's function had returned.
 */
#include "../posix/harness.h"

enum { THREADS = 400 };

static void on_usr1(int sig UNUSED)
{
	pthread_testcancel();
}

static void *pauses(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *returns(void *arg)
{
	return arg;
}

/* It may have ended, which glibc says before 2.34. */
static void signal_it(pthread_t t)
{
	int err = pthread_kill(t, SIGUSR1);

	CHECK(!err || (err == ESRCH && !__GLIBC_PREREQ(2, 34)));
}

int main(void)
{
	if (!__GLIBC_PREREQ(2, 34) && threads_are_glibcs())
		skip("before glibc 2.34 its own crash when they are cancelled at their end");
	on_signal(SIGUSR1, on_usr1, 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_t t = spawn(i % 2 ? pauses : returns, NULL);

		signal_it(t);
		if (i % 4 == 2)
			sched_yield();
		CHECK_OK(pthread_cancel(t));
		signal_it(t);
		void *result = join(t);

		CHECK(result == PTHREAD_CANCELED || (i % 2 == 0 && !result));
	}
}
