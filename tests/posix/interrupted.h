// SPDX-License-Identifier: BSD-2-Clause
/*
 * For tests of what handlers do to calls that wait: a thread in each call, each of which alone admits a standard signal
 * of its own, so that it can be sent to the thread and to the process.
 */
#ifndef INTERRUPTED_H
#define INTERRUPTED_H

#include "harness.h"

enum { MOST_WAITS = 16, HANDLERS = 4, A_DESCRIPTOR = -2 };

struct wait {
	const char *name;
	long (*call)(void);
	void (*release)(void);		/* lets the call come to its end */
	long want;			/* its result then */
};

static const int wait_signals[MOST_WAITS] = { SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGSTKFLT, SIGTSTP,
	SIGTTIN, SIGTTOU, SIGIO, SIGVTALRM, SIGPROF, SIGPWR, SIGXCPU, SIGXFSZ };

static struct waiter {
	const struct wait *what;
	pthread_t thread;
	int sig, error;
	long result;
	atomic_int handled;
	atomic_bool waits, over;
} waiters[MOST_WAITS];

static int waiter_count;
static atomic_int wait_misdirected;
static bool to_process;
static __thread struct waiter *wait_self;

static void wait_handler(int sig)
{
	if (wait_self && wait_self->sig == sig)
		wait_self->handled++;
	else
		wait_misdirected++;
}

static void *wait_in_call(void *arg)
{
	struct waiter *w = wait_self = arg;

	unblock_signal(w->sig);
	w->waits = true;
	errno = 0;
	w->result = w->what->call();
	w->error = errno;
	w->over = true;
	return NULL;
}

static void wait_send(struct waiter *w)
{
	if (to_process)
		CHECK_OK(kill(getpid(), w->sig));
	else
		kill_if_there(w->thread, w->sig);
}

/* Only main calls it, before it makes threads. */
static void wait_begin(const struct wait *waits, int n, int flags)
{
	waiter_count = n;
	for (int i = 0; i < n; i++) {
		struct waiter *w = &waiters[i];

		memset(w, 0, sizeof(*w));
		w->what = &waits[i];
		w->sig = wait_signals[i];
		block_signal(w->sig);
		on_signal(w->sig, wait_handler, flags);
		w->thread = spawn(wait_in_call, w);
	}
	for (int i = 0; i < n; i++)
		WAIT_FOR(waiters[i].waits);
	settle();
}

static void wait_end(void)
{
	for (int i = 0; i < waiter_count; i++)
		join(waiters[i].thread);
	CHECK_EQ(wait_misdirected, 0);
}

static bool wait_all_over(void)
{
	for (int i = 0; i < waiter_count; i++)
		if (!waiters[i].over)
			return false;
	return true;
}

static void wait_complain(const struct waiter *w)
{
	dprintf(2, "%s, signal to the %s: %ld, errno %d\n", w->what->name, to_process ? "process" : "thread",
		w->result, w->error);
	_exit(1);
}

/* Handlers end each of them with EINTR.  A signal may come before its call waits. */
static UNUSED void all_are_ended(const struct wait *waits, int n, int flags)
{
	wait_begin(waits, n, flags);
	while (!wait_all_over()) {
		for (int i = 0; i < n; i++)
			if (!waiters[i].over)
				wait_send(&waiters[i]);
		settle();
	}
	wait_end();
	for (int i = 0; i < n; i++)
		if (waiters[i].result != -1 || waiters[i].error != EINTR || !waiters[i].handled)
			wait_complain(&waiters[i]);
}

/* Handlers end none of them, sent in turns to the process and the thread. */
static UNUSED void all_are_restarted(const struct wait *waits, int n)
{
	wait_begin(waits, n, SA_RESTART);
	for (int round = 1; round <= HANDLERS; round++) {
		to_process = round % 2;
		for (int i = 0; i < n; i++)
			wait_send(&waiters[i]);
		for (int i = 0; i < n; i++)
			WAIT_FOR(waiters[i].handled >= round || waiters[i].over);
		settle();
	}
	for (int i = 0; i < n; i++)
		if (waiters[i].over)
			wait_complain(&waiters[i]);
	for (int i = 0; i < n; i++)
		waits[i].release();
	wait_end();
	for (int i = 0; i < n; i++) {
		const struct waiter *w = &waiters[i];

		if (w->what->want == A_DESCRIPTOR ? w->result < 0 : w->result != w->what->want)
			wait_complain(w);
	}
}

/* A stream socket, of the Unix domain, that listens at an address the kernel has chosen; of which many may wait. */
static UNUSED int wait_listen(int waiting, struct sockaddr_storage *ret_at, socklen_t *ret_size)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*ret_size = sizeof(*ret_at);
	CHECK_OK(bind(fd, &(struct sockaddr){ .sa_family = AF_UNIX }, sizeof(sa_family_t)));
	CHECK_OK(listen(fd, waiting));
	CHECK_OK(getsockname(fd, (struct sockaddr *)ret_at, ret_size));
	return fd;
}

static UNUSED int wait_connect(const struct sockaddr_storage *at, socklen_t size)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK_OK(connect(fd, (const struct sockaddr *)at, size));
	return fd;
}

/* Both ends of a stream, the second of which has no room for another byte. */
static UNUSED void wait_full_pair(int ret_fds[2])
{
	static const char bytes[4096];
	size_t size = sizeof(bytes);

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ret_fds));
	for (; size; size /= 8)
		while (send(ret_fds[1], bytes, size, MSG_DONTWAIT) > 0)
			;
}

#endif
