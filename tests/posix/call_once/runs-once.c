// SPDX-License-Identifier: BSD-2-Clause
// call_once runs its function once, and returns only when it has finished.
#include "../harness.h"
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static atomic_int calls, finished;

static void init(void)
{
	calls++;
	sleep_ms(10);
	finished = 1;
}

static int body(void *arg UNUSED)
{
	call_once(&flag, init);
	CHECK_EQ(finished, 1);
	return 0;
}

int main(void)
{
	thrd_t t[8];

	for (int i = 0; i < 8; i++)
		CHECK_EQ(thrd_create(&t[i], body, NULL), thrd_success);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(thrd_join(t[i], NULL), thrd_success);
	CHECK_EQ(calls, 1);
}
