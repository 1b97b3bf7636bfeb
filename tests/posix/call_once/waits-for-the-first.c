// SPDX-License-Identifier: BSD-2-Clause
// No call_once returns before the function has, whichever thread runs it.
#include "../harness.h"

#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static atomic_int value;

static void init(void)
{
	sleep_ms(30);
	value++;
}

static int body(void *arg UNUSED)
{
	call_once(&flag, init);
	return value;
}

int main(void)
{
	thrd_t t[5];

	for (int i = 0; i < 5; i++)
		CHECK_EQ(thrd_create(&t[i], body, NULL), thrd_success);
	for (int i = 0; i < 5; i++) {
		int rc = 0;

		CHECK_EQ(thrd_join(t[i], &rc), thrd_success);
		CHECK_EQ(rc, 1);
	}
}
