// SPDX-License-Identifier: BSD-2-Clause
// ppoll and pselect are cancellation points, with a mask and without.
#include "../cancel.h"

#include <sys/select.h>

static void by_ppoll(void *arg)
{
	sigset_t s = set_of(SIGUSR1);

	ppoll(NULL, 0, NULL, arg ? &s : NULL);
}

static void by_pselect(void *arg)
{
	sigset_t s = set_of(SIGUSR1);

	pselect(0, NULL, NULL, NULL, NULL, arg ? &s : NULL);
}

int main(void)
{
	check_cancels(by_ppoll, NULL);
	check_cancels(by_ppoll, "mask");
	check_cancels(by_pselect, NULL);
	check_cancels(by_pselect, "mask");
}
