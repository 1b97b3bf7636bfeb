// SPDX-License-Identifier: BSD-2-Clause
// Once a thread had blocked SIGCHLD, as system() does, a child's end ended the pause of a thread with a kernel thread.
#include "../posix/harness.h"

static atomic_bool has_signalled;
static pthread_t main_thread;

static void handler(int sig UNUSED)
{
}

static void *runs_a_command(void *arg)
{
	CHECK_EQ(system("true"), 0);
	return arg;
}

static void *sends(void *arg)
{
	settle();
	for (int i = 0; i < 10; i++) {
		pid_t child = fork_watched();

		if (child == 0)
			_exit(0);
		CHECK_EQ(waitpid(child, NULL, 0), child);
		sleep_ms(5);
	}
	has_signalled = true;
	for (;;) {				/* one that comes before the pause does not end it */
		CHECK_OK(pthread_kill(main_thread, SIGUSR1));
		sleep_ms(20);
	}
	return arg;
}

int main(void)
{
	main_thread = pthread_self();
	on_signal(SIGUSR1, handler, SA_RESTART);
	join(spawn(runs_a_command, NULL));
	errno = 0;
	CHECK(nice(1) != -1 || errno == 0);	/* a kernel thread of its own */
	spawn(sends, NULL);
	CHECK_ERRNO(pause(), EINTR);
	CHECK(has_signalled);
	_exit(0);
}
