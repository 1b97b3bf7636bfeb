// SPDX-License-Identifier: BSD-2-Clause
// What was pending for the thread that calls exec, and for the process, is pending in the new program, in order.
#include "../harness.h"

enum { SIGNALS = 5 };

static void handler(int sig UNUSED)
{
}

static void *body(void *arg)
{
	signal(SIGUSR1, handler);
	signal(SIGRTMIN, handler);
	signal(SIGRTMIN + 1, handler);
	CHECK_OK(raise(SIGUSR1));
	CHECK_OK(kill(getpid(), SIGUSR2));
	for (int i = 0; i < SIGNALS; i++) {
		CHECK_OK(pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){ .sival_int = i }));
		CHECK_OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = i }));
	}
	execl("/none", "none", NULL);
	execl("/proc/self/exe", "again", "again", NULL);
	return arg;
}

static void check_pending(int sig, int value)
{
	const struct timespec now = { 0 };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	CHECK_EQ(sigtimedwait(&set, &info, &now), sig);
	if (sig < SIGRTMIN)
		return;
	CHECK_EQ(info.si_value.sival_int, value);
	CHECK_EQ(info.si_code, SI_QUEUE);
}

int main(int argc, char **argv UNUSED)
{
	const struct timespec now = { 0 };
	sigset_t all, set;

	sigfillset(&all);
	if (argc == 1) {
		CHECK_OK(pthread_sigmask(SIG_BLOCK, &all, NULL));
		join(spawn(body, NULL));
	}
	CHECK_OK(sigpending(&set));
	CHECK(sigismember(&set, SIGUSR1));
	CHECK(sigismember(&set, SIGUSR2));
	check_pending(SIGUSR1, 0);
	check_pending(SIGUSR2, 0);
	for (int sig = SIGRTMIN; sig <= SIGRTMIN + 1; sig++)
		for (int i = 0; i < SIGNALS; i++)
			check_pending(sig, i);
	errno = 0;
	CHECK_EQ(sigtimedwait(&all, NULL, &now), -1);
	CHECK_EQ(errno, EAGAIN);
}
