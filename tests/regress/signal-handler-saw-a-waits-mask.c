// SPDX-License-Identifier: BSD-2-Clause
// The first handler that ends a wait with another mask finds the thread's own mask in its context, and what it writes there
// is the thread's mask after the wait.  Others that the wait admits run at once, with that mask, not with the thread's.
#include "../posix/harness.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <ucontext.h>

enum call { SUSPENDS, PAUSES, POLLS, SELECTS, EPOLLS, TAKES, TAKES_UNBLOCKED, CALLS };
enum moment { BEFORE, AMID, AMID_BY_PROCESS, TWO, MOMENTS };

static enum call call;
static enum moment moment;
static atomic_bool is_waiting, has_ended;
static int runs, with_own, with_waits;
static sigset_t own, waits, found[2];

static bool are_equal(const sigset_t *a, const sigset_t *b)
{
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(a, sig) != sigismember(b, sig))
			return false;
	return true;
}

static void handles(int sig, siginfo_t *info, void *context)
{
	sigset_t *mask = &((ucontext_t *)context)->uc_sigmask;
	sigset_t expected = waits;

	(void)info;
	sigaddset(&expected, sig == SIGUSR1 ? SIGUSR2 : SIGUSR1);
	pthread_sigmask(SIG_SETMASK, NULL, &found[runs++ % 2]);
	if (are_equal(mask, &own)) {
		with_own++;
		sigaddset(mask, SIGWINCH);
		sigdelset(mask, SIGHUP);
	} else if (are_equal(mask, &expected)) {
		with_waits++;
	}
}

static int wait_so(void)
{
	struct timespec long_time = { 60, 0 };
	struct epoll_event event;
	sigset_t taken;
	int epoll, r;

	switch (call) {
	case SUSPENDS:
		return sigsuspend(&waits);
	case PAUSES:
		return pause();
	case POLLS:
		return ppoll(NULL, 0, NULL, &waits);
	case SELECTS:
		return pselect(0, NULL, NULL, NULL, NULL, &waits);
	case EPOLLS:
		epoll = epoll_create1(0);
		r = epoll_pwait(epoll, &event, 1, -1, &waits);
		close(epoll);
		errno = EINTR;
		return r;
	default:
		sigemptyset(&taken);
		sigaddset(&taken, call == TAKES ? SIGQUIT : SIGIO);
		return sigtimedwait(&taken, NULL, &long_time);
	}
}

static bool is_masked(void)
{
	return call != PAUSES && call != TAKES && call != TAKES_UNBLOCKED;
}

static void *waits_once(void *arg)
{
	sigset_t after;

	(void)arg;
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &own, NULL));
	if (moment == BEFORE || moment == TWO)
		CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	if (moment == TWO)
		CHECK_OK(pthread_kill(pthread_self(), SIGUSR2));
	is_waiting = true;
	CHECK(wait_so() == -1 && errno == EINTR);
	has_ended = true;
	CHECK(runs == (moment == TWO ? 2 : 1) || !is_masked());
	CHECK(with_own == 1);
	CHECK(with_waits == runs - 1 || !is_masked());
	for (int i = 0; i < runs && i < 2; i++) {
		CHECK(sigismember(&found[i], SIGURG) == sigismember(&waits, SIGURG));
		CHECK(sigismember(&found[i], SIGTERM) == sigismember(&waits, SIGTERM));
	}
	CHECK_OK(pthread_sigmask(SIG_SETMASK, NULL, &after));
	CHECK(sigismember(&after, SIGWINCH));
	CHECK(!sigismember(&after, SIGHUP));
	sigdelset(&after, SIGWINCH);
	sigaddset(&after, SIGHUP);
	CHECK(are_equal(&after, &own));
	return NULL;
}

static void check(void)
{
	pthread_t t;

	runs = with_own = with_waits = 0;
	is_waiting = has_ended = false;
	sigemptyset(&own);
	sigaddset(&own, SIGHUP);
	sigaddset(&own, SIGQUIT);
	if (is_masked()) {
		sigaddset(&own, SIGUSR1);
		sigaddset(&own, SIGUSR2);
		sigaddset(&own, SIGURG);
		sigemptyset(&waits);
		sigaddset(&waits, SIGTERM);
	} else {
		waits = own;
	}
	CHECK_OK(pthread_create(&t, NULL, waits_once, NULL));
	while (!is_waiting)
		usleep(1000);
	usleep(5000);
	for (bool first = true; moment < TWO && moment != BEFORE && (first || (!is_masked() && !has_ended)); first = false) {
		if (moment == AMID)
			CHECK_OK(pthread_kill(t, SIGUSR1));
		else
			CHECK(kill(getpid(), SIGUSR1) == 0);
		usleep(first ? 0 : 20000);	/* the first may have come before the call */
	}
	CHECK_OK(pthread_join(t, NULL));
}

int main(void)
{
	struct sigaction handled = { .sa_sigaction = handles, .sa_flags = SA_SIGINFO };
	sigset_t all;

	CHECK(sigaction(SIGUSR1, &handled, NULL) == 0);
	CHECK(sigaction(SIGUSR2, &handled, NULL) == 0);
	sigfillset(&all);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &all, NULL));
	for (int round = 0; round < 10; round++)
		for (call = 0; call < CALLS; call++)
			for (moment = 0; moment < MOMENTS; moment++)
				if (is_masked() || moment == AMID || moment == AMID_BY_PROCESS)
					check();
	return 0;
}
