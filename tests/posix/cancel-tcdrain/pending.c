// SPDX-License-Identifier: BSD-2-Clause
// tcdrain is a cancellation point, also where there is nothing to wait for (POSIX, 2.9.5.2).
#include "../cancel.h"
#include <termios.h>

static void call(void *arg)
{
	tcdrain(*(int *)arg);
}

int main(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	if (master == -1)
		skip("no pseudo terminals");
	CHECK_OK(grantpt(master));
	CHECK_OK(unlockpt(master));
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	CHECK(slave >= 0);
	check_cancels_pending(call, &slave);
	CHECK_OK(tcdrain(slave));
}
