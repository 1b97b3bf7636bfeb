// SPDX-License-Identifier: BSD-2-Clause
// Who is cancelled in a signal handler leaves it by unwinding: destructors of the handler run, and then those around
// the call that it came in, be that raise or a call that admits the signal (glibc: signal frames have unwind tables).
#include "cxx.h"

#include <sys/epoll.h>

/* <signal.h> and <pthread.h> declare them to throw nothing; a cancellation passes. */
extern "C" int raise_passing(int sig) __asm__("raise");

static char trail[16];
static atomic_int length;
static atomic_bool in_handler, requested;
static sigset_t none;
static int epoll_fd;

struct Mark {
	char c;
	explicit Mark(char c) : c(c) {}
	~Mark() { trail[length++] = c; }
};

/* In a call that libc has made asynchronous it acts as soon as it is enabled, else at the next point. */
[[gnu::noinline]] static void acts()
{
	Mark d('d');

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_testcancel();
	trail[length++] = '?';
}

static void handler(int)
{
	Mark c('c');

	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	in_handler = true;
	WAIT_FOR(requested);
	acts();
}

static void by_raise()
{
	unblock_signal(SIGUSR1);
	raise_passing(SIGUSR1);
}

static void by_sigsuspend()
{
	sigsuspend(&none);
}

static void by_ppoll()
{
	ppoll(NULL, 0, NULL, &none);
}

static void by_pselect()
{
	pselect(0, NULL, NULL, NULL, NULL, &none);
}

static void by_epoll_pwait()
{
	struct epoll_event e;

	epoll_pwait(epoll_fd, &e, 1, -1, &none);
}

static void *body(void *arg)
{
	Mark a('a');

	try {
		Mark b('b');

		reinterpret_cast<void (*)()>(arg)();
	} catch (...) {
		trail[length++] = '!';
		throw;
	}
	trail[length++] = '?';
	return NULL;
}

static void check(void (*call)(), bool is_sent)
{
	length = 0;
	in_handler = requested = false;
	memset(trail, 0, sizeof trail);

	pthread_t t = spawn(body, reinterpret_cast<void *>(call));

	if (is_sent)
		CHECK_OK(pthread_kill(t, SIGUSR1));
	WAIT_FOR(in_handler);
	CHECK_OK(pthread_cancel(t));
	requested = true;
	CHECK(join(t) == PTHREAD_CANCELED);
	if (strcmp(trail, "dcb!a"))
		dprintf(2, "%s\n", trail);
	CHECK(!strcmp(trail, "dcb!a"));
}

int main()
{
	sigemptyset(&none);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	CHECK(epoll_fd >= 0);
	block_signal(SIGUSR1);			/* and so in all threads: it comes in the call */
	on_signal(SIGUSR1, handler, 0);
	check(by_raise, false);
	check(by_sigsuspend, true);
	check(by_ppoll, true);
	check(by_pselect, true);
	check(by_epoll_pwait, true);
}
