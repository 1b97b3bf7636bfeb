// SPDX-License-Identifier: BSD-2-Clause
// gettid is getpid in the initial thread, different in every other, constant over waits, and
// usable with tgkill.
#include "../harness.h"

#define N 20

static pid_t ids[N];
static atomic_int here;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;

	ids[me] = gettid();
	here++;
	WAIT_FOR(here == N);
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(gettid(), ids[me]);
		CHECK_EQ(syscall(SYS_gettid), ids[me]);
		sched_yield();
	}
	CHECK_OK(tgkill(getpid(), gettid(), 0));
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	CHECK_EQ(gettid(), getpid());
	spawn_many(t, N, body);
	join_many(t, N);
	for (int i = 0; i < N; i++) {
		CHECK(ids[i] > 0 && ids[i] != getpid());
		for (int j = 0; j < i; j++)
			CHECK(ids[i] != ids[j]);
	}
	CHECK_EQ(gettid(), getpid());
}
