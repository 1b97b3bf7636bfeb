// SPDX-License-Identifier: BSD-2-Clause
// sigtimedwait and sigwaitinfo are cancellation points.
#include "../cancel.h"

static void by_info(void *arg UNUSED)
{
	sigset_t s = set_of(SIGUSR1);

	sigwaitinfo(&s, NULL);
}

static void by_time(void *arg UNUSED)
{
	sigset_t s = set_of(SIGUSR1);
	struct timespec t = ms_span(20000);

	sigtimedwait(&s, NULL, &t);
}

int main(void)
{
	block_signal(SIGUSR1);
	check_cancels(by_info, NULL);
	check_cancels(by_time, NULL);
}
