// SPDX-License-Identifier: BSD-2-Clause
/* A thousand threads add up numbers; each waits for the one before it. */
#include <stdio.h>
#include <upcall/upcall.h>

enum { THREADS = 1000 };

static upcall_t thread[THREADS];

static void *sum_up_to(void *arg)
{
	long me = (long)arg;
	void *sum_before = NULL;

	if (me > 0)
		upcall_join(thread[me - 1], &sum_before);
	return (char *)sum_before + me;
}

int main(void)
{
	void *sum;

	for (long i = 0; i < THREADS; i++) {
		int err = upcall_create(&thread[i], NULL, sum_up_to, (void *)i);

		if (err) {
			fprintf(stderr, "cannot create a thread: error %d\n", -err);
			return 1;
		}
	}
	upcall_join(thread[THREADS - 1], &sum);
	printf("the numbers below %d add up to %ld\n", THREADS, (long)sum);
	return 0;
}
