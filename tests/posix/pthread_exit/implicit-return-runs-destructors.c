// SPDX-License-Identifier: BSD-2-Clause
// Returning from the start routine is like pthread_exit: destructors run, cleanup handlers that were
// popped do not.
#include "../harness.h"

static atomic_int destroyed, cleaned;
static pthread_key_t key;

static void destroy(void *arg UNUSED)
{
	destroyed++;
}

static void clean(void *arg UNUSED)
{
	cleaned++;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, arg));
	pthread_cleanup_push(clean, NULL);
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, destroy));
	join(spawn(body, &key));
	CHECK_EQ(destroyed, 1);
	CHECK_EQ(cleaned, 0);
}
