// SPDX-License-Identifier: BSD-2-Clause
// With SA_RESETHAND, a signal that is handled by a thread that libc made, and that has called nothing of the library's:
// the handler stayed. All others block the signal.
#include "../posix/harness.h"

static atomic_int calls;
static atomic_bool runs, is_over;

static void handler(int sig UNUSED)
{
	calls++;
}

/* libc blocks all signals there.  No call of a function: the thread is not to become known. */
static void notified(union sigval value UNUSED)
{
	static const uint64_t none = 0;
	register long bytes __asm__("r10") = sizeof(none);
	long result;

	__asm__ volatile("syscall" : "=a"(result)
			 : "0"((long)SYS_rt_sigprocmask), "D"((long)SIG_SETMASK), "S"(&none), "d"(NULL), "r"(bytes)
			 : "rcx", "r11", "memory");
	runs = true;
	while (!is_over)
		;
}

int main(void)
{
	struct sigevent by_thread = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = notified };
	const struct itimerspec soon = { .it_value = { .tv_nsec = 1000000 } };
	struct sigaction now;
	timer_t timer;

	on_signal(SIGUSR1, handler, SA_RESETHAND);
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &by_thread, &timer));
	block_signal(SIGUSR1);
	join(spawn(nothing, NULL));
	CHECK_OK(timer_settime(timer, 0, &soon, NULL));
	WAIT_FOR(runs);
	CHECK_OK(kill(getpid(), SIGUSR1));
	WAIT_FOR(calls);
	CHECK_OK(sigaction(SIGUSR1, NULL, &now));
	CHECK(now.sa_handler == SIG_DFL);
	is_over = true;
}
