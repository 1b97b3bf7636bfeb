// SPDX-License-Identifier: BSD-2-Clause
// A process-shared read-write lock excludes between processes.
#include "../harness.h"

#define ROUNDS 1000

struct shared {
	pthread_rwlock_t lock;
	volatile int a, b;
};

static struct shared *s;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_rwlock_wrlock(&s->lock));
		s->a = s->a + 1;
		if (i % 200 == 0)
			sleep_ms(1);
		s->b = s->b + 1;
		CHECK_OK(pthread_rwlock_unlock(&s->lock));
		CHECK_OK(pthread_rwlock_rdlock(&s->lock));
		CHECK_EQ(s->a, s->b);
		CHECK_OK(pthread_rwlock_unlock(&s->lock));
	}
	return NULL;
}

static void child(void)
{
	join(spawn(body, NULL));
}

int main(void)
{
	pthread_rwlockattr_t a;
	pthread_t t;
	int status;

	s = shared_memory(sizeof *s);
	CHECK_OK(pthread_rwlockattr_init(&a));
	CHECK_OK(pthread_rwlockattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_rwlock_init(&s->lock, &a));
	t = spawn(body, NULL);
	status = in_child(child);
	join(t);
	CHECK_EQ(status, 0);
	CHECK_EQ(s->a, 2 * ROUNDS);
}
