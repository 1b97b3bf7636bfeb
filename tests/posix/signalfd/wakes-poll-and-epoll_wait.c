// SPDX-License-Identifier: BSD-2-Clause
// signalfd(2): the descriptor becomes readable, for poll, select, epoll_wait and read without a time limit, when a
// signal of its set is pending for the process: sent by another process, by a thread to the process, by a timer, or at
// a child's end.
#include "../harness.h"
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>

static int fd, ask[2];
static pid_t sender;
static timer_t timer;
static atomic_bool waits;

static void by_poll(void)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	CHECK_EQ(poll(&p, 1, -1), 1);
	CHECK_EQ(p.revents, POLLIN);
}

static void by_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	CHECK_EQ(select(fd + 1, &set, NULL, NULL, NULL), 1);
	CHECK(FD_ISSET(fd, &set));
}

static void by_epoll(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	CHECK_OK(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e));
	CHECK_EQ(epoll_wait(epoll, &e, 1, -1), 1);
	CHECK_EQ(e.events, EPOLLIN);
	CHECK_OK(close(epoll));
}

static void by_read(void) { }

static void from_another_process(void) { CHECK_EQ(write(ask[1], "x", 1), 1); }
static void from_a_thread(void) { CHECK_OK(kill(getpid(), SIGUSR2)); }
static void queued_by_a_thread(void) { CHECK_OK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 7 })); }

static void from_a_timer(void)
{
	struct itimerspec soon = { .it_value = ms_span(1) };

	CHECK_OK(timer_settime(timer, 0, &soon, NULL));
}

static void from_a_child(void)
{
	if (fork_watched() == 0)
		_exit(7);
}

static void *receive(void *wait)
{
	static struct signalfd_siginfo info;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	waits = true;
	((void (*)(void))(uintptr_t)wait)();
	CHECK_EQ(read(fd, &info, sizeof info), sizeof info);
	CHECK_EQ(poll(&p, 1, 0), 0);
	return &info;
}

static const struct signalfd_siginfo *received(void (*send)(void), void (*wait)(void))
{
	waits = false;

	pthread_t t = spawn(receive, (void *)(uintptr_t)wait);

	WAIT_FOR(waits);
	settle();
	send();
	return join(t);
}

static void look(void (*wait)(void))
{
	const struct signalfd_siginfo *info = received(from_another_process, wait);
	int status;

	CHECK_EQ(info->ssi_signo, SIGUSR1);
	CHECK_EQ(info->ssi_pid, sender);
	info = received(from_a_thread, wait);
	CHECK_EQ(info->ssi_signo, SIGUSR2);
	CHECK_EQ(info->ssi_pid, getpid());
	info = received(queued_by_a_thread, wait);
	CHECK_EQ(info->ssi_signo, SIGRTMIN);
	CHECK_EQ(info->ssi_int, 7);
	info = received(from_a_timer, wait);
	CHECK_EQ(info->ssi_signo, SIGRTMIN + 1);
	CHECK_EQ(info->ssi_code, SI_TIMER);
	info = received(from_a_child, wait);
	CHECK_EQ(info->ssi_signo, SIGCHLD);
	CHECK_EQ(info->ssi_status, 7);
	CHECK_EQ(wait4((pid_t)info->ssi_pid, &status, 0, NULL), info->ssi_pid);
}

/* Another process, which sends one whenever it is asked to. */
static void send_on_request(void)
{
	char c;

	CHECK_OK(pipe(ask));
	sender = fork_watched();
	if (sender)
		return;
	close(ask[1]);
	while (read(ask[0], &c, 1) == 1)
		CHECK_OK(kill(getppid(), SIGUSR1));
	_exit(0);
}

int main(void)
{
	static void (*const ways[])(void) = { by_poll, by_select, by_epoll, by_read };
	const int signals[] = { SIGUSR1, SIGUSR2, SIGCHLD, SIGRTMIN, SIGRTMIN + 1 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1 };
	sigset_t all;

	send_on_request();
	sigemptyset(&all);
	for (int i = 0; i < 5; i++) {
		block_signal(signals[i]);
		sigaddset(&all, signals[i]);
	}
	fd = signalfd(-1, &all, SFD_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
	for (int i = 0; i < 4; i++)
		look(ways[i]);
}
