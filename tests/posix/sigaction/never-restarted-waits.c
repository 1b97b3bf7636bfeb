// SPDX-License-Identifier: BSD-2-Clause
// Of signal(7)'s "interfaces ... never restarted after being interrupted by a signal handler, regardless of the use of
// SA_RESTART", each ends with EINTR: the signal is sent to the waiting thread, and to the process of which it alone
// admits it.
#include "../interrupted.h"
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/time.h>

enum { LIMIT = 1000 * WATCHDOG_SECONDS };

static int quiet, empty[2], full[2], busy, empty_queue, full_queue, sems, epoll, alone[2];
static struct sockaddr_storage quiet_at, busy_at;
static socklen_t quiet_size, busy_size;
static char c;

static void limit(int fd)
{
	struct timeval v = { .tv_sec = WATCHDOG_SECONDS };

	CHECK_OK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &v, sizeof v));
	CHECK_OK(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &v, sizeof v));
}

static long receives(void) { return recv(empty[0], &c, 1, 0); }
static long reads(void) { return read(empty[0], &c, 1); }
static long accepts(void) { return accept(quiet, NULL, NULL); }
static long sends(void) { return send(full[1], "x", 1, 0); }

static long connects(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	limit(fd);
	return connect(fd, (struct sockaddr *)&busy_at, busy_size);
}

static long takes(void)
{
	struct { long type; char text; } m;

	return msgrcv(empty_queue, &m, 1, 0, 0);
}

static long puts_one(int flags)
{
	struct { long type; char text; } m = { 1, 'x' };

	return msgsnd(full_queue, &m, 1, flags);
}

static long puts_it(void) { return puts_one(0); }

static struct sembuf down = { .sem_num = 0, .sem_op = -1 };

static long downs(void) { return semop(sems, &down, 1); }

static long downs_in_time(void)
{
	struct timespec t = ms_span(LIMIT);

	return semtimedop(sems, &down, 1, &t);
}

static long polls(void)
{
	struct pollfd p = { .fd = alone[0], .events = POLLIN };

	return ppoll(&p, 1, NULL, NULL);
}

static long selects(void)
{
	struct timeval v = { .tv_sec = WATCHDOG_SECONDS };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(alone[0], &set);
	return select(alone[0] + 1, &set, NULL, NULL, &v);
}

static long waits_for_events(void)
{
	struct epoll_event e;

	return epoll_wait(epoll, &e, 1, -1);
}

static long waits_in_time(void)
{
	struct epoll_event e;
	sigset_t mask;

	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &mask));
	return epoll_pwait(epoll, &e, 1, LIMIT, &mask);
}

/* Returns what it fails with. */
static long sleeps(void)
{
	struct timespec t = in_ms(CLOCK_MONOTONIC, LIMIT);

	errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	return errno ? -1 : 0;
}

static long waits_for_signal(void)
{
	sigset_t s = set_of(SIGRTMIN);
	struct timespec t = ms_span(LIMIT);

	return sigtimedwait(&s, NULL, &t);
}

static const struct wait waits[] = {
	{ .name = "recv, SO_RCVTIMEO", .call = receives },
	{ .name = "read, SO_RCVTIMEO", .call = reads },
	{ .name = "accept, SO_RCVTIMEO", .call = accepts },
	{ .name = "send, SO_SNDTIMEO", .call = sends },
	{ .name = "connect, SO_SNDTIMEO", .call = connects },
	{ .name = "ppoll", .call = polls },
	{ .name = "select", .call = selects },
	{ .name = "epoll_wait", .call = waits_for_events },
	{ .name = "epoll_pwait", .call = waits_in_time },
	{ .name = "clock_nanosleep", .call = sleeps },
	{ .name = "sigtimedwait", .call = waits_for_signal },
	{ .name = "semop", .call = downs },
	{ .name = "semtimedop", .call = downs_in_time },
	{ .name = "msgrcv", .call = takes },
	{ .name = "msgsnd", .call = puts_it },
};

enum { ALL = sizeof(waits) / sizeof(*waits), OF_SYSTEM_V = 4 };

static bool prepare_system_v(void)
{
	sems = semget(IPC_PRIVATE, 1, 0600);
	empty_queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
	full_queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
	if (sems == -1 || full_queue == -1)
		return false;

	struct msqid_ds d;

	CHECK_OK(msgctl(full_queue, IPC_STAT, &d));
	d.msg_qbytes = 16;
	CHECK_OK(msgctl(full_queue, IPC_SET, &d));
	while (puts_one(IPC_NOWAIT) == 0)
		;
	return true;
}

static void remove_system_v(void)
{
	semctl(sems, 0, IPC_RMID);
	msgctl(empty_queue, IPC_RMID, NULL);
	msgctl(full_queue, IPC_RMID, NULL);
}

static void prepare(void)
{
	struct epoll_event e = { .events = EPOLLIN };

	CHECK_OK(pipe(alone));
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, empty));
	limit(empty[0]);
	wait_full_pair(full);
	limit(full[1]);
	quiet = wait_listen(4, &quiet_at, &quiet_size);
	limit(quiet);
	busy = wait_listen(0, &busy_at, &busy_size);
	wait_connect(&busy_at, busy_size);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	CHECK_OK(epoll_ctl(epoll, EPOLL_CTL_ADD, alone[0], &e));
	block_signal(SIGRTMIN);
}

int main(void)
{
	int n = prepare_system_v() ? ALL : ALL - OF_SYSTEM_V;

	atexit(remove_system_v);
	prepare();
	all_are_ended(waits, n, SA_RESTART);
	to_process = true;
	all_are_ended(waits, n, SA_RESTART);
}
