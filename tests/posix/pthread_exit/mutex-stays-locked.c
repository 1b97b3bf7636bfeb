// SPDX-License-Identifier: BSD-2-Clause
// The end of a thread releases nothing that belongs to the process: its mutex stays locked.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	pthread_exit(arg);
}

int main(void)
{
	join(spawn(body, NULL));
	CHECK_EQ(pthread_mutex_trylock(&m), EBUSY);
}
