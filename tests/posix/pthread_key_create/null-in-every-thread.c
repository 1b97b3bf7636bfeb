// SPDX-License-Identifier: BSD-2-Clause
// A new key's value is NULL in all threads, those that run already included.
#include "../harness.h"

static pthread_key_t key;
static atomic_bool made;

static void *body(void *arg)
{
	WAIT_FOR(made);
	CHECK(pthread_getspecific(key) == NULL);
	CHECK_OK(pthread_setspecific(key, arg));
	CHECK(pthread_getspecific(key) == arg);
	return NULL;
}

int main(void)
{
	pthread_t t[5];

	spawn_many(t, 5, body);
	CHECK_OK(pthread_key_create(&key, NULL));
	made = true;
	join_many(t, 5);
	CHECK(pthread_getspecific(key) == NULL);
}
