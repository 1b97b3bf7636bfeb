// SPDX-License-Identifier: BSD-2-Clause
// Once a thread had blocked SIGCHLD, as system() does, a child's end broke off the waits of threads with a kernel thread.
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>

#include "../posix/harness.h"

enum { WAIT_MS = 400 };

static pid_t child;

static void *runs_a_command(void *arg)
{
	CHECK_EQ(system("true"), 0);
	return arg;
}

static void child_begins(void)
{
	child = fork_watched();
	if (child == 0) {
		sleep_ms(WAIT_MS / 4);
		_exit(0);
	}
}

static void child_ends(void)
{
	CHECK_EQ(waitpid(child, NULL, 0), child);
}

static void *sends_a_message(void *arg)
{
	const struct { long type; char text[1]; } msg = { 1, "" };

	sleep_ms(WAIT_MS);
	CHECK_OK(msgsnd((int)(intptr_t)arg, &msg, 1, 0));
	return arg;
}

static void check_msgrcv(void)
{
	struct { long type; char text[1]; } msg;
	int id = msgget(IPC_PRIVATE, 0600);

	if (id < 0)
		return;			/* the kernel has none */
	pthread_t sender = spawn(sends_a_message, (void *)(intptr_t)id);

	child_begins();
	ssize_t n = msgrcv(id, &msg, 1, 0, 0);

	msgctl(id, IPC_RMID, NULL);
	CHECK_EQ(n, 1);
	child_ends();
	join(sender);
}

int main(void)
{
	struct timespec span = ms_span(WAIT_MS);
	struct timeval limit = { 0, WAIT_MS * 1000 };
	struct epoll_event event;
	int ep = epoll_create1(0);

	join(spawn(runs_a_command, NULL));
	errno = 0;
	CHECK(nice(1) != -1 || errno == 0);
	child_begins();
	CHECK_EQ(sleep(1), 0);
	child_ends();
	child_begins();
	CHECK_OK(nanosleep(&span, NULL));
	child_ends();
	child_begins();
	CHECK_OK(poll(NULL, 0, WAIT_MS));
	child_ends();
	child_begins();
	CHECK_OK(select(0, NULL, NULL, NULL, &limit));
	child_ends();
	child_begins();
	CHECK_OK(epoll_wait(ep, &event, 1, WAIT_MS));
	child_ends();
	check_msgrcv();
	return 0;
}
