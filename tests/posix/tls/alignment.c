// SPDX-License-Identifier: BSD-2-Clause
// Thread-local variables have the alignment that they ask for, in every thread.
#include "../harness.h"

static __thread char one;
static __thread struct {
	char c[64];
} __attribute__((aligned(256))) big;

static void *body(void *arg UNUSED)
{
	one++;
	CHECK_EQ((uintptr_t)&big % 256, 0);
	big.c[0] = one;
	CHECK_EQ(big.c[0], 1);
	return NULL;
}

int main(void)
{
	pthread_t t[8];

	spawn_many(t, 8, body);
	join_many(t, 8);
}
