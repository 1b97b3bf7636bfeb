// SPDX-License-Identifier: BSD-2-Clause
// Standard signals sent to one thread thousands of times filled the queue, though all but the first stand for it.
#include "../posix/harness.h"

enum { TIMES = 10000 };

static atomic_bool may_take, has_taken;
static atomic_int handled;

static void on_usr1(int sig UNUSED)
{
	handled++;
}

static bool is_pending(int sig)
{
	sigset_t set;

	CHECK_OK(sigpending(&set));
	return sigismember(&set, sig);
}

static void *takes(void *arg)
{
	const struct timespec none = { 0 };
	const sigset_t *set = arg;
	int sig;

	WAIT_FOR(may_take);
	CHECK(is_pending(SIGUSR1));
	CHECK_OK(sigwait(set, &sig));
	CHECK_EQ(sig, SIGUSR1);
	CHECK_ERRNO(sigtimedwait(set, NULL, &none), EAGAIN);
	has_taken = true;
	while (handled == 0)
		CHECK_OK(pthread_sigmask(SIG_UNBLOCK, set, NULL));
	return NULL;
}

static void flood(pthread_t t)
{
	for (int i = 0; i < TIMES; i++)
		kill_if_there(t, SIGUSR1);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_usr1 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
	CHECK_OK(sigaction(SIGUSR1, &action, NULL));
	pthread_t t = spawn(takes, &set);

	flood(t);
	may_take = true;
	WAIT_FOR(has_taken);
	flood(t);			/* what was taken stands for none of these */
	WAIT_FOR(handled > 0);
	join(t);

	/* What is ignored is gone, and stands for none that comes after it. */
	flood(pthread_self());
	CHECK(signal(SIGUSR1, SIG_IGN) != SIG_ERR);
	CHECK(!is_pending(SIGUSR1));
	CHECK_OK(sigaction(SIGUSR1, &action, NULL));
	handled = 0;
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK(is_pending(SIGUSR1));
	CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
	CHECK_EQ(handled, 1);
}
