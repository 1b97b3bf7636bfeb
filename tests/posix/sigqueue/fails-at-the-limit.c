// SPDX-License-Identifier: BSD-2-Clause
// No more signals can be queued than RLIMIT_SIGPENDING says: EAGAIN; those that were are there.
#include "../harness.h"

#include <sys/resource.h>

enum { LIMIT = 20, TOO_MANY = 100 };

static void handler(int sig UNUSED)
{
}

static void *body(void *arg)
{
	const struct timespec now = { 0 };
	struct rlimit limit = { LIMIT, LIMIT };
	siginfo_t info;
	sigset_t set;
	int n;

	CHECK_OK(setrlimit(RLIMIT_SIGPENDING, &limit));
	for (n = 0; n < TOO_MANY; n++)
		if (sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = n }))
			break;
	CHECK_EQ(errno, EAGAIN);
	CHECK(n <= LIMIT);		/* the user's other processes may have some */
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	for (int i = 0; i < n; i++) {
		CHECK_EQ(sigtimedwait(&set, &info, &now), SIGRTMIN);
		CHECK_EQ(info.si_value.sival_int, i);
	}
	CHECK_EQ(sigtimedwait(&set, &info, &now), -1);
	return arg;
}

int main(void)
{
	signal(SIGRTMIN, handler);
	block_signal(SIGRTMIN);
	join(spawn(body, NULL));
}
