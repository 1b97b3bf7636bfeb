// SPDX-License-Identifier: BSD-2-Clause
// prctl(PR_SET_NAME) names the calling thread only, and pthread_getname_np tells the same.
#include "../harness.h"
#include <sys/prctl.h>

static void *body(void *arg)
{
	char want[16], got[16];

	snprintf(want, sizeof want, "name-%d", (int)(intptr_t)arg);
	CHECK_OK(prctl(PR_SET_NAME, want));
	for (int i = 0; i < 10; i++) {
		sched_yield();
		CHECK_OK(prctl(PR_GET_NAME, got));
		CHECK(!strcmp(got, want));
		CHECK_OK(pthread_getname_np(pthread_self(), got, sizeof got));
		CHECK(!strcmp(got, want));
	}
	return NULL;
}

int main(void)
{
	char before[16], after[16];
	pthread_t t[5];

	CHECK_OK(prctl(PR_GET_NAME, before));
	spawn_many(t, 5, body);
	join_many(t, 5);
	CHECK_OK(prctl(PR_GET_NAME, after));
	CHECK(!strcmp(before, after));
}
