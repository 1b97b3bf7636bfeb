// SPDX-License-Identifier: BSD-2-Clause
// sleep and usleep are cancellation points.
#include "../cancel.h"

static void by_sleep(void *arg UNUSED)
{
	sleep(20);
}

static void by_usleep(void *arg UNUSED)
{
	usleep(900000);
	usleep(900000);
}

int main(void)
{
	check_cancels(by_sleep, NULL);
	check_cancels(by_usleep, NULL);
}
