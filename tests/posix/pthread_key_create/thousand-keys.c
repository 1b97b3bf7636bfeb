// SPDX-License-Identifier: BSD-2-Clause
// PTHREAD_KEYS_MAX keys less those of the system can exist; EAGAIN comes after that; deleted keys
// can be had again, empty.
#include "../harness.h"

#define MANY 1000

static pthread_key_t keys[PTHREAD_KEYS_MAX + 1];

static void *body(void *arg)
{
	for (intptr_t i = 0; i < MANY; i++)
		CHECK_OK(pthread_setspecific(keys[i], (char *)arg + i));
	for (intptr_t i = 0; i < MANY; i++)
		CHECK(pthread_getspecific(keys[i]) == (char *)arg + i);
	return NULL;
}

int main(void)
{
	int n = 0, rc;

	while (n <= PTHREAD_KEYS_MAX && (rc = pthread_key_create(&keys[n], NULL)) == 0)
		n++;
	CHECK_EQ(rc, EAGAIN);
	CHECK(n >= MANY);
	join(spawn(body, keys));
	join(spawn(body, keys + 1));
	for (int round = 0; round < 2; round++) {
		CHECK_OK(pthread_setspecific(keys[5], keys));
		CHECK_OK(pthread_key_delete(keys[5]));
		CHECK_OK(pthread_key_create(&keys[5], NULL));
		CHECK(pthread_getspecific(keys[5]) == NULL);
	}
	for (int i = 0; i < n; i++)
		CHECK_OK(pthread_key_delete(keys[i]));
}
