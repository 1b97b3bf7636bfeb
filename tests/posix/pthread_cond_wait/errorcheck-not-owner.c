// SPDX-License-Identifier: BSD-2-Clause
// pthread_cond_wait with an error-checking mutex that the caller does not own fails with EPERM.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *body(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 1000);

	CHECK_EQ(pthread_cond_wait(&cond, &lock), EPERM);
	CHECK_EQ(pthread_cond_timedwait(&cond, &lock, &at), EPERM);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}
