// SPDX-License-Identifier: BSD-2-Clause
// system() is a cancellation point while its command runs.
#include "../cancel.h"

static void call(void *arg UNUSED)
{
	(void)!system("sleep 20");
}

int main(void)
{
	check_cancels(call, NULL);
}
