// SPDX-License-Identifier: BSD-2-Clause
// thrd_current is what thrd_create stored; thrd_equal tells; a detached thread ends by itself.
#include "../harness.h"
#include <threads.h>

static thrd_t seen;
static atomic_int done;

static int body(void *arg UNUSED)
{
	seen = thrd_current();
	thrd_yield();
	return 0;
}

static int detached(void *arg UNUSED)
{
	done++;
	return 0;
}

int main(void)
{
	thrd_t t;

	CHECK_EQ(thrd_create(&t, body, NULL), thrd_success);
	CHECK_EQ(thrd_join(t, NULL), thrd_success);
	CHECK(thrd_equal(t, seen));
	CHECK(!thrd_equal(thrd_current(), seen));
	for (int i = 1; i <= 20; i++) {
		CHECK_EQ(thrd_create(&t, detached, NULL), thrd_success);
		CHECK_EQ(thrd_detach(t), thrd_success);
		WAIT_FOR(done == i);
	}
}
