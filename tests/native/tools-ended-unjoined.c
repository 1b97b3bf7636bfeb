// SPDX-License-Identifier: BSD-2-Clause
/*
 * As under a sanitizer, each thread a kernel thread of its own: the descriptor of one that has ended, and is not joined yet,
 * is no other's, also where others begin at that moment.
 */
#include "check.h"

enum { ROUNDS = 4, THREADS = 1000 };

static upcall_t thread[THREADS];

/* What the library takes for AddressSanitizer. */
void __asan_init(void);
void __asan_init(void)
{
}

static void *sum_up_to(void *arg)
{
	long me = (long)arg;
	void *before = NULL;

	if (me > 0)
		CHECK_IS(upcall_join_until(thread[me - 1], &before, upcall_now() + 20000 * MS), 0);
	return (char *)before + me;
}

static void test(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		void *sum;

		for (long i = 0; i < THREADS; i++)
			CHECK_IS(upcall_create(&thread[i], NULL, sum_up_to, (void *)i), 0);
		CHECK_IS(upcall_join(thread[THREADS - 1], &sum), 0);
		CHECK_IS((long)sum, THREADS * (THREADS - 1L) / 2);
	}
}
