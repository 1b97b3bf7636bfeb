// SPDX-License-Identifier: BSD-2-Clause
// Thread-local variables have their initial values in each new thread, also where memory is used again.
#include "../harness.h"

static __thread int number = 42;
static __thread char text[32] = "initial";
static __thread int zero;

static void *body(void *arg)
{
	CHECK_EQ(number, 42);
	CHECK_EQ(strcmp(text, "initial"), 0);
	CHECK_EQ(zero, 0);
	number = zero = 7;
	strcpy(text, "changed");
	return arg;
}

int main(void)
{
	for (int i = 0; i < 40; i++)
		join(spawn(body, NULL));
	CHECK_EQ(number, 42);
}
