// SPDX-License-Identifier: BSD-2-Clause
// strerror, strsignal and strtok-like state of libc that is per thread is not mixed up.
#include "../harness.h"

static void *body(void *arg)
{
	int unknown = 5000 + (int)(intptr_t)arg;
	char want[40];
	const char *got;

	sprintf(want, "Unknown error %d", unknown);
	for (int i = 0; i < 50; i++) {
		got = strerror(unknown);
		sched_yield();
		CHECK(!strcmp(got, want));
	}
	return NULL;
}

int main(void)
{
	pthread_t t[6];

	if (!__GLIBC_PREREQ(2, 32))
		skip("strerror has one buffer for all threads before glibc 2.32");
	spawn_many(t, 6, body);
	join_many(t, 6);
}
