// SPDX-License-Identifier: BSD-2-Clause
// alarm tells the seconds that the previous one had left and replaces it; 0 cancels.
#define NO_WATCHDOG
#include "../harness.h"

static void *body(void *arg)
{
	CHECK_EQ(alarm(50), 0);
	unsigned left = alarm(20);

	CHECK(left == 50 || left == 49);
	left = alarm(0);
	CHECK(left == 20 || left == 19);
	CHECK_EQ(alarm(0), 0);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
