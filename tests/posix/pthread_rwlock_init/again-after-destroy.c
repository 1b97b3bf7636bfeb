// SPDX-License-Identifier: BSD-2-Clause
// A readers-writer lock may be initialised again after it was destroyed.
#include "../harness.h"

static pthread_rwlock_t l;

static void *body(void *arg)
{
	CHECK_OK(pthread_rwlock_wrlock(&l));
	CHECK_OK(pthread_rwlock_unlock(&l));
	return arg;
}

int main(void)
{
	for (int i = 0; i < 10; i++) {
		CHECK_OK(pthread_rwlock_init(&l, NULL));
		join(spawn(body, NULL));
		CHECK_OK(pthread_rwlock_rdlock(&l));
		CHECK_OK(pthread_rwlock_unlock(&l));
		CHECK_OK(pthread_rwlock_destroy(&l));
	}
}
