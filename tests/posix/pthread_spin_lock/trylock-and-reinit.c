// SPDX-License-Identifier: BSD-2-Clause
// A spin lock that is held is EBUSY to trylock; after destroy it may be initialised again.
#include "../harness.h"

static pthread_spinlock_t s;

static void *tries(void *arg)
{
	CHECK_EQ(pthread_spin_trylock(&s), EBUSY);
	return arg;
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		CHECK_OK(pthread_spin_init(&s, i & 1 ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE));
		CHECK_OK(pthread_spin_trylock(&s));
		join(spawn(tries, NULL));
		CHECK_OK(pthread_spin_unlock(&s));
		CHECK_OK(pthread_spin_lock(&s));
		CHECK_OK(pthread_spin_unlock(&s));
		CHECK_OK(pthread_spin_destroy(&s));
	}
}
