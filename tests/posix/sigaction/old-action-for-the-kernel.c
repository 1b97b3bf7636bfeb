// SPDX-License-Identifier: BSD-2-Clause
// What sigaction tells of the old action has what the kernel needs of it: the restorer, and a flag that says so.
#include "../harness.h"

enum { RESTORER = 0x04000000 };

struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

static atomic_int got;

static void handler(int sig)
{
	got += sig;
}

static void check(void)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	got = 0;
	CHECK_EQ(sigaction(SIGUSR1, &act, NULL), 0);
	CHECK_EQ(sigaction(SIGUSR1, NULL, &old), 0);
	CHECK(old.sa_handler == handler);
#ifdef __x86_64__
	CHECK_EQ(old.sa_flags, SA_RESTART | RESTORER);
	CHECK(old.sa_restorer != NULL);
	struct kernel_action k = { old.sa_handler, (unsigned long)(unsigned)old.sa_flags, old.sa_restorer, 0 };

	CHECK_EQ(syscall(SYS_rt_sigaction, SIGUSR2, &k, NULL, 8), 0);
	CHECK_EQ(kill(getpid(), SIGUSR2), 0);
	WAIT_FOR(got == SIGUSR2);
	signal(SIGUSR2, SIG_DFL);
#else
	CHECK_EQ(old.sa_flags & SA_RESTART, SA_RESTART);
#endif
	CHECK_EQ(sigaction(SIGUSR1, &old, NULL), 0);
	got = 0;
	raise(SIGUSR1);
	CHECK_EQ(got, SIGUSR1);
}

int main(void)
{
	check();
	join(spawn(nothing, NULL));
	check();
	return 0;
}
