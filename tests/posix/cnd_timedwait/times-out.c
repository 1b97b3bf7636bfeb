// SPDX-License-Identifier: BSD-2-Clause
// cnd_timedwait gives thrd_timedout, with the mutex held.
#include "../harness.h"

#include <threads.h>

int main(void)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 20);
	mtx_t m;
	cnd_t c;

	CHECK_EQ(mtx_init(&m, mtx_plain), thrd_success);
	CHECK_EQ(cnd_init(&c), thrd_success);
	CHECK_EQ(mtx_lock(&m), thrd_success);
	CHECK_EQ(cnd_timedwait(&c, &m, &at), thrd_timedout);
	CHECK_EQ(mtx_trylock(&m), thrd_busy);
	CHECK_EQ(mtx_unlock(&m), thrd_success);
	cnd_destroy(&c);
	mtx_destroy(&m);
}
