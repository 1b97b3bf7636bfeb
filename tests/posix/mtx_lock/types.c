// SPDX-License-Identifier: BSD-2-Clause
// C11 mutexes: plain, timed and recursive ones lock, try and time out as their type says.
#include "../harness.h"
#include <threads.h>

static mtx_t plain, timed, rec;

static int body(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 20);

	CHECK_EQ(mtx_trylock(&plain), thrd_busy);
	CHECK_EQ(mtx_trylock(&rec), thrd_busy);
	CHECK_EQ(mtx_timedlock(&timed, &at), thrd_timedout);
	return 0;
}

int main(void)
{
	thrd_t t;

	CHECK_EQ(mtx_init(&plain, mtx_plain), thrd_success);
	CHECK_EQ(mtx_init(&timed, mtx_timed), thrd_success);
	CHECK_EQ(mtx_init(&rec, mtx_plain | mtx_recursive), thrd_success);
	CHECK_EQ(mtx_lock(&plain), thrd_success);
	CHECK_EQ(mtx_lock(&timed), thrd_success);
	CHECK_EQ(mtx_lock(&rec), thrd_success);
	CHECK_EQ(mtx_lock(&rec), thrd_success);
	CHECK_EQ(mtx_unlock(&rec), thrd_success);
	CHECK_EQ(thrd_create(&t, body, NULL), thrd_success);
	CHECK_EQ(thrd_join(t, NULL), thrd_success);
	CHECK_EQ(mtx_unlock(&rec), thrd_success);
	CHECK_EQ(mtx_unlock(&timed), thrd_success);
	CHECK_EQ(mtx_unlock(&plain), thrd_success);
	mtx_destroy(&plain);
}
