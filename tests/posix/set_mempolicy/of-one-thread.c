// SPDX-License-Identifier: BSD-2-Clause
// A memory policy is of the thread that sets it, and of those that it makes then, set_mempolicy(2), and of no others.
#include "../apart.h"
#include <linux/mempolicy.h>

static void set(void)
{
	unsigned long nodes = 1;

	if (syscall(SYS_set_mempolicy, MPOL_PREFERRED, &nodes, sizeof nodes * CHAR_BIT))
		skip("no memory policies here");
}

static bool is_set(void)
{
	int mode = -1;

	if (syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0))
		skip("no memory policies here");
	return mode == MPOL_PREFERRED;
}

int main(void)
{
	apart_run(set, is_set, APART_WITH_CHILDREN);
}
