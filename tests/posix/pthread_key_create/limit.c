// SPDX-License-Identifier: BSD-2-Clause
// At least PTHREAD_KEYS_MAX keys can be made; then pthread_key_create says EAGAIN, until one is
// deleted.
#include "../harness.h"

int main(void)
{
	static pthread_key_t keys[PTHREAD_KEYS_MAX + 1];
	int n = 0, rc;

	while (n <= PTHREAD_KEYS_MAX && (rc = pthread_key_create(&keys[n], NULL)) == 0)
		n++;
	CHECK_EQ(rc, EAGAIN);
	CHECK(n >= PTHREAD_KEYS_MAX - 16);
	CHECK_OK(pthread_key_delete(keys[n / 2]));
	CHECK_OK(pthread_key_create(&keys[n / 2], NULL));
}
