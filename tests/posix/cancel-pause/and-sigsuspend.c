// SPDX-License-Identifier: BSD-2-Clause
// pause and sigsuspend are cancellation points.
#include "../cancel.h"

static void with_pause(void *arg UNUSED)
{
	pause();
}

static void with_sigsuspend(void *arg UNUSED)
{
	sigset_t none;

	sigemptyset(&none);
	sigsuspend(&none);
}

int main(void)
{
	check_cancels(with_pause, NULL);
	check_cancels(with_sigsuspend, NULL);
}
