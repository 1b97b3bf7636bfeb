// SPDX-License-Identifier: BSD-2-Clause
// What is there before a signal is sent is what a call that waits returns: no EINTR.  (But for recv from a local socket
// that has slept: there the kernel itself prefers the signal.)
#include "../posix/harness.h"
#include <sys/epoll.h>
#include <sys/select.h>

static int fd[2], ep;
static sigset_t none;

static long calls_read(void)
{
	char c;

	return read(fd[0], &c, 1);
}

static long calls_poll(void)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };

	return poll(&p, 1, 9999);
}

static long calls_poll_of_two(void)
{
	struct pollfd p[2] = { { .fd = fd[0], .events = POLLIN }, { .fd = fd[1], .events = POLLIN } };

	return poll(p, 2, -1);
}

static long calls_ppoll(void)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };

	return ppoll(&p, 1, NULL, &none);
}

static long calls_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd[0], &set);
	return select(fd[0] + 1, &set, NULL, NULL, NULL);
}

static long calls_epoll_wait(void)
{
	struct epoll_event e;

	return epoll_wait(ep, &e, 1, -1);
}

static atomic_bool is_in;
static long (*the_call)(void);

static void *calls(void *arg)
{
	is_in = true;
	long r = the_call();

	if (r != 1)
		h_fail(H_HERE, "the call's result", r, errno, true);
	return arg;
}

static void ignore(int sig UNUSED)
{
}

static void look(long (*call)(void), bool is_there_first)
{
	the_call = call;
	for (int i = 0; i < 5; i++) {
		is_in = false;
		if (is_there_first)
			CHECK_EQ(write(fd[1], "x", 1), 1);
		pthread_t t = spawn(calls, NULL);

		WAIT_FOR(is_in);
		if (!is_there_first) {
			sleep_ms(2);
			CHECK_EQ(write(fd[1], "x", 1), 1);
		}
		CHECK_OK(pthread_kill(t, SIGUSR1));
		join(t);
		struct pollfd left = { .fd = fd[0], .events = POLLIN };

		if (poll(&left, 1, 0))		/* the call has taken nothing */
			CHECK_EQ(read(fd[0], &(char){ 0 }, 1), 1);
	}
}

static void look_at_all(bool is_there_first)
{
	struct epoll_event e = { .events = EPOLLIN };

	ep = epoll_create1(0);
	CHECK_OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd[0], &e));
	look(calls_read, is_there_first);
	look(calls_poll, is_there_first);
	look(calls_poll_of_two, is_there_first);
	look(calls_ppoll, is_there_first);
	look(calls_select, is_there_first);
	look(calls_epoll_wait, is_there_first);
	close(ep);
}

int main(void)
{
	on_signal(SIGUSR1, ignore, 0);
	sigemptyset(&none);
	sigaddset(&none, SIGUSR2);
	CHECK_OK(pipe(fd));
	look_at_all(true);
	look_at_all(false);
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	look_at_all(true);
}
