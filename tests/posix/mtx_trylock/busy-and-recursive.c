// SPDX-License-Identifier: BSD-2-Clause
// mtx_trylock: thrd_busy while another holds it; a recursive one may be locked again by its owner.
#include "../harness.h"

#include <threads.h>

static mtx_t m;

static int tries(void *arg UNUSED)
{
	return mtx_trylock(&m);
}

int main(void)
{
	thrd_t t;
	int rc;

	CHECK_EQ(mtx_init(&m, mtx_plain | mtx_recursive), thrd_success);
	CHECK_EQ(mtx_trylock(&m), thrd_success);
	CHECK_EQ(mtx_trylock(&m), thrd_success);
	CHECK_EQ(thrd_create(&t, tries, NULL), thrd_success);
	CHECK_EQ(thrd_join(t, &rc), thrd_success);
	CHECK_EQ(rc, thrd_busy);
	CHECK_EQ(mtx_unlock(&m), thrd_success);
	CHECK_EQ(mtx_unlock(&m), thrd_success);
	CHECK_EQ(thrd_create(&t, tries, NULL), thrd_success);
	CHECK_EQ(thrd_join(t, &rc), thrd_success);
	CHECK_EQ(rc, thrd_success);
}
