// SPDX-License-Identifier: BSD-2-Clause
// A program that says it wants executable stacks has them in threads too: so compilers call nested functions
// whose address is taken.  (Linked with -z execstack.)
#include "../harness.h"

static void *body(void *arg)
{
	int n = 1;

	/* mov $42, %eax; ret */
	volatile unsigned char code[] = { 0xb8, 42, 0, 0, 0, 0xc3 };

	__asm__ volatile("call *%1" : "=a"(n) : "r"(code), "m"(code) : "memory");
	CHECK_EQ(n, 42);
	return arg;
}

int main(void)
{
	body(NULL);
	join(spawn(body, NULL));
}
