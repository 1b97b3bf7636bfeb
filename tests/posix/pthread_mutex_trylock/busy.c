// SPDX-License-Identifier: BSD-2-Clause
// pthread_mutex_trylock never waits: EBUSY while another holds the mutex, zero when it is free.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int step;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_trylock(&lock));
	step = 1;
	WAIT_FOR(step == 2);
	CHECK_OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(step == 1);
	CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
	step = 2;
	join(t);
	CHECK_OK(pthread_mutex_trylock(&lock));
}
