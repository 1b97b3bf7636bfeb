// SPDX-License-Identifier: BSD-2-Clause
// sched_setattr and sched_getattr, functions since glibc 2.41, are of the calling thread alone.
#include "../attributes.h"

struct sched_attr;
extern int sched_setattr(pid_t, struct sched_attr *, unsigned) __attribute__((weak));
extern int sched_getattr(pid_t, struct sched_attr *, unsigned, unsigned) __attribute__((weak));

static pthread_barrier_t barrier;

static uint32_t policy_of(pid_t tid)
{
	struct attributes a = { 0 };

	CHECK_OK(sched_getattr(tid, (struct sched_attr *)&a, sizeof(a), 0));
	return a.policy;
}

static void *body(void *arg)
{
	bool is_batch = arg;

	if (is_batch) {
		struct attributes a = attributes_of(0);

		a.policy = SCHED_BATCH;
		CHECK_OK(sched_setattr(0, (struct sched_attr *)&a, 0));
	}
	for (int i = 0; i < 20; i++) {
		pthread_barrier_wait(&barrier);
		CHECK_EQ(policy_of(0), is_batch ? SCHED_BATCH : SCHED_OTHER);
		CHECK_EQ(policy_of(gettid()), is_batch ? SCHED_BATCH : SCHED_OTHER);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[4];

	if (!sched_setattr || !sched_getattr)
		skip("no such functions here");
	CHECK_OK(pthread_barrier_init(&barrier, NULL, 4));
	for (intptr_t i = 0; i < 4; i++)
		threads[i] = spawn(body, (void *)(i % 2));
	join_many(threads, 4);
	CHECK_ERRNO(sched_getattr(0, (struct sched_attr *)&threads, 0, 0), EINVAL);
}
