// SPDX-License-Identifier: BSD-2-Clause
// C11 thread-specific storage is per thread, and its destructor runs at thread exit.
#include "../harness.h"
#include <threads.h>

static tss_t key;
static atomic_int destroyed;

static void destroy(void *p)
{
	destroyed += *(int *)p;
}

static int body(void *arg)
{
	CHECK(tss_get(key) == NULL);
	CHECK_EQ(tss_set(key, arg), thrd_success);
	thrd_yield();
	CHECK(tss_get(key) == arg);
	return 0;
}

int main(void)
{
	static int one[4] = { 1, 2, 3, 4 };
	thrd_t t[4];

	CHECK_EQ(tss_create(&key, destroy), thrd_success);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(thrd_create(&t[i], body, &one[i]), thrd_success);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(thrd_join(t[i], NULL), thrd_success);
	CHECK_EQ(destroyed, 10);
	tss_delete(key);
}
