// SPDX-License-Identifier: BSD-2-Clause
// daemon(3), and a double fork by hand, before there is any thread: the threads that the daemon makes then compute,
// sleep, read, take signals, fork and are cancelled.
#include "lives.h"

static void by_daemon(void)
{
	lives_as_daemon(false);
}

static void by_hand(void)
{
	lives_as_daemon(true);
}

int main(void)
{
	lives_test(by_daemon);
	lives_test(by_hand);
}
