// SPDX-License-Identifier: BSD-2-Clause
// What was pending for the thread that calls exec, and for the process, is pending in the new program, in order.
#include "../pending.h"

static void *body(void *arg)
{
	send_to_self();
	execl("/none", "none", NULL);
	execl("/proc/self/exe", "again", "again", NULL);
	return arg;
}

int main(int argc, char **argv UNUSED)
{
	if (argc == 1) {
		block_all();
		join(spawn(body, NULL));
	}
	take_all();
}
