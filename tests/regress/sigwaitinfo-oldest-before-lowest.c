// SPDX-License-Identifier: BSD-2-Clause
// Of several pending real-time signals the lowest number comes first, and equal ones in order.
#include "../posix/harness.h"

static int order[8], n;

static void handler(int sig, siginfo_t *info, void *uc UNUSED)
{
	order[n++] = (sig - SIGRTMIN) * 10 + info->si_value.sival_int;
}

static void *body(void *arg)
{
	sigset_t s;

	sigemptyset(&s);
	for (int i = 1; i <= 3; i++)
		sigaddset(&s, SIGRTMIN + i);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &s, NULL));
	CHECK_OK(pthread_sigqueue(pthread_self(), SIGRTMIN + 3, (union sigval){ .sival_int = 1 }));
	CHECK_OK(pthread_sigqueue(pthread_self(), SIGRTMIN + 1, (union sigval){ .sival_int = 1 }));
	CHECK_OK(pthread_sigqueue(pthread_self(), SIGRTMIN + 2, (union sigval){ .sival_int = 1 }));
	CHECK_OK(pthread_sigqueue(pthread_self(), SIGRTMIN + 1, (union sigval){ .sival_int = 2 }));
	for (int i = 0; i < 4; i++) {
		static const int want[] = { 1, 1, 2, 3 };
		siginfo_t info;

		CHECK_EQ(sigwaitinfo(&s, &info), SIGRTMIN + want[i]);
		CHECK_EQ(info.si_value.sival_int, i == 1 ? 2 : 1);
	}
	CHECK_OK(pthread_sigqueue(pthread_self(), SIGRTMIN + 1, (union sigval){ .sival_int = 1 }));
	CHECK_OK(pthread_sigqueue(pthread_self(), SIGRTMIN + 1, (union sigval){ .sival_int = 2 }));
	CHECK_OK(pthread_sigqueue(pthread_self(), SIGRTMIN + 1, (union sigval){ .sival_int = 3 }));
	CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &s, NULL));
	CHECK_EQ(n, 3);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(order[i], 10 + i + 1);
	return arg;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	for (int i = 1; i <= 3; i++)
		CHECK_OK(sigaction(SIGRTMIN + i, &sa, NULL));
	join(spawn(body, NULL));
}
