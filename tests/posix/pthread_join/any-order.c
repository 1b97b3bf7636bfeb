// SPDX-License-Identifier: BSD-2-Clause
// Threads may be joined in any order, however long they have been over.
#include "../harness.h"

static void *body(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t t[30];

	spawn_many(t, 30, body);
	settle();
	for (int i = 0; i < 30; i++) {
		int k = i * 7 % 30;

		CHECK(join(t[k]) == (void *)(intptr_t)k);
	}
}
