// SPDX-License-Identifier: BSD-2-Clause
// Destroying a locked mutex fails with EBUSY; a mutex may be destroyed as soon as it is unlocked,
// and initialised again.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	for (int i = 0; i < 3; i++) {
		CHECK_OK(pthread_mutex_lock(&lock));
		CHECK_EQ(pthread_mutex_destroy(&lock), EBUSY);
		CHECK_OK(pthread_mutex_unlock(&lock));
		CHECK_OK(pthread_mutex_destroy(&lock));
		CHECK_OK(pthread_mutex_init(&lock, NULL));
	}
}
