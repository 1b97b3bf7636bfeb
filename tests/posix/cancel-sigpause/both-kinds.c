// SPDX-License-Identifier: BSD-2-Clause
// sigpause, of X/Open and of BSD, is a cancellation point (sigpause(3); POSIX, 2.9.5.2).
#include "../cancel.h"

extern int bsd_sigpause(int mask) __asm__("sigpause");
extern int xpg_sigpause(int sig) __asm__("__xpg_sigpause");

static void with_signal(void *arg UNUSED)
{
	xpg_sigpause(SIGUSR1);
}

static void with_mask(void *arg UNUSED)
{
	bsd_sigpause(0);
}

int main(void)
{
	block_signal(SIGUSR1);
	check_cancels(with_signal, NULL);
	check_cancels(with_mask, NULL);
}
