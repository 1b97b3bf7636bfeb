// SPDX-License-Identifier: BSD-2-Clause
// sigwait, sigwaitinfo and sigtimedwait are cancellation points.
#include "../cancel.h"

static void with_sigwait(void *arg)
{
	int sig;

	sigwait(arg, &sig);
}

static void with_info(void *arg)
{
	sigwaitinfo(arg, NULL);
}

static void with_timed(void *arg)
{
	sigtimedwait(arg, NULL, &(struct timespec){ .tv_sec = WATCHDOG_SECONDS });
}

int main(void)
{
	sigset_t s = set_of(SIGUSR1);

	block_signal(SIGUSR1);
	check_cancels(with_sigwait, &s);
	check_cancels(with_info, &s);
	check_cancels(with_timed, &s);
}
