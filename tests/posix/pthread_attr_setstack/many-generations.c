// SPDX-License-Identifier: BSD-2-Clause
// A stack of the program's may be used by one thread after the other.
#include "../harness.h"

static char memory[1 << 18] __attribute__((aligned(4096)));
static int runs;

static void *body(void *arg)
{
	char here;

	CHECK(&here >= memory && &here < memory + sizeof memory);
	runs++;
	return arg;
}

int main(void)
{
	pthread_attr_t a;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstack(&a, memory, sizeof memory));
	for (int i = 0; i < 50; i++) {
		pthread_t t;

		CHECK_OK(pthread_create(&t, &a, body, NULL));
		join(t);
	}
	CHECK_EQ(runs, 50);
}
