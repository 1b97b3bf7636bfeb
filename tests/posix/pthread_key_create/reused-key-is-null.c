// SPDX-License-Identifier: BSD-2-Clause
// A key that is made after another was deleted starts with NULL everywhere, even if it gets its place.
#include "../harness.h"

static pthread_key_t key;
static atomic_int step;

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, arg));
	step = 1;
	WAIT_FOR(step == 2);
	CHECK(pthread_getspecific(key) == NULL);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_key_create(&key, NULL));
	t = spawn(body, &key);
	WAIT_FOR(step == 1);
	CHECK_OK(pthread_key_delete(key));
	CHECK_OK(pthread_key_create(&key, NULL));
	step = 2;
	join(t);
}
