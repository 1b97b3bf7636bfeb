// SPDX-License-Identifier: BSD-2-Clause
// mtx_init takes the types of C11, and as glibc has it any other makes a plain one.
#include "../harness.h"

#include <threads.h>

static void test(int type, bool is_recursive)
{
	mtx_t m;

	CHECK_EQ(mtx_init(&m, type), thrd_success);
	CHECK_EQ(mtx_lock(&m), thrd_success);
	CHECK_EQ(mtx_trylock(&m), is_recursive ? thrd_success : thrd_busy);
	if (is_recursive)
		CHECK_EQ(mtx_unlock(&m), thrd_success);
	CHECK_EQ(mtx_unlock(&m), thrd_success);
	mtx_destroy(&m);
}

int main(void)
{
	test(mtx_plain, false);
	test(mtx_timed, false);
	test(mtx_recursive, true);
	test(mtx_timed | mtx_recursive, true);
	test(8, false);
	test(8 | mtx_recursive, false);
}
