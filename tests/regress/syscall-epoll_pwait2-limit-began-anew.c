// SPDX-License-Identifier: BSD-2-Clause
// A wait that is made by number, beside signals that others handle, is over when its time is.
#define NO_WATCHDOG		/* SIGALRM is its signal */
#include "../posix/harness.h"
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/time.h>

#ifndef SYS_epoll_pwait2	/* glibc 2.31 */
#define SYS_epoll_pwait2 441
#endif

static atomic_bool is_over;

static void nothing_to_do(int sig UNUSED)
{
}

static void *waits(void *arg)
{
	struct timespec limit = { 0, 100000000 };
	struct epoll_event event;
	int ep = epoll_create1(0), set = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf take = { 0, -1, 0 };

	CHECK(ep >= 0 && set >= 0);
	for (int i = 0; i < 5; i++) {
		long n = syscall(SYS_epoll_pwait2, ep, &event, 1, &limit, NULL, 8);

		if (n < 0 && (errno == ENOSYS || errno == EPERM))
			break;
		CHECK(n == 0 || errno == EINTR);
		CHECK_EQ(limit.tv_nsec, 100000000);
	}
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(syscall(SYS_semtimedop, set, &take, 1, &limit), -1);
		CHECK(errno == EAGAIN || errno == EINTR);
	}
	CHECK_OK(semctl(set, 0, IPC_RMID));
	is_over = true;
	return arg;
}

int main(void)
{
	const struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };

	on_signal(SIGALRM, nothing_to_do, 0);
	CHECK_OK(setitimer(ITIMER_REAL, &often, NULL));
	pthread_t t = spawn(waits, NULL);

	while (!is_over)
		pause();
	CHECK_OK(setitimer(ITIMER_REAL, &never, NULL));
	join(t);
}
