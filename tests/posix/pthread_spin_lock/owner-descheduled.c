// SPDX-License-Identifier: BSD-2-Clause
// A spin lock whose owner sleeps is got in the end by threads that spin, though there are more of
// them than processors.
#include "../harness.h"

static pthread_spinlock_t lock;
static atomic_int got;

static void *body(void *arg UNUSED)
{
	pthread_spin_lock(&lock);
	got++;
	pthread_spin_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[6];

	CHECK_OK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
	pthread_spin_lock(&lock);
	spawn_many(t, 6, body);
	sleep_ms(30);
	CHECK_EQ(got, 0);
	pthread_spin_unlock(&lock);
	join_many(t, 6);
	CHECK_EQ(got, 6);
}
