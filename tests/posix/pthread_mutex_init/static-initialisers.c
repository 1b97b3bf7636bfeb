// SPDX-License-Identifier: BSD-2-Clause
// The static initialisers give mutexes of their types.
#include "../harness.h"

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&recursive));
	CHECK_OK(pthread_mutex_lock(&recursive));
	CHECK_OK(pthread_mutex_unlock(&recursive));
	CHECK_OK(pthread_mutex_unlock(&recursive));
	CHECK_OK(pthread_mutex_lock(&checking));
	CHECK_EQ(pthread_mutex_lock(&checking), EDEADLK);
	CHECK_OK(pthread_mutex_unlock(&checking));
	CHECK_OK(pthread_mutex_lock(&normal));
	CHECK_EQ(pthread_mutex_trylock(&normal), EBUSY);
	CHECK_OK(pthread_mutex_unlock(&normal));
	return NULL;
}

int main(void)
{
	body(NULL);
	join(spawn(body, NULL));
	CHECK_OK(pthread_mutex_destroy(&normal));
	CHECK_OK(pthread_mutex_destroy(&recursive));
	CHECK_OK(pthread_mutex_destroy(&checking));
}
