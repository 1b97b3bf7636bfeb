// SPDX-License-Identifier: BSD-2-Clause
// CLOCK_PROCESS_CPUTIME_ID adds up what all threads, dead ones too, have computed.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	uint64_t start = now_on(CLOCK_THREAD_CPUTIME_ID);

	while (now_on(CLOCK_THREAD_CPUTIME_ID) - start < 20000000)
		;
	return NULL;
}

int main(void)
{
	uint64_t start = now_on(CLOCK_PROCESS_CPUTIME_ID);
	pthread_t t[4];

	spawn_many(t, 4, body);
	join_many(t, 4);
	CHECK(now_on(CLOCK_PROCESS_CPUTIME_ID) - start >= 78000000);
}
