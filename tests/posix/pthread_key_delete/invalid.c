// SPDX-License-Identifier: BSD-2-Clause
// pthread_key_delete and pthread_setspecific refuse a key that is none with EINVAL.
#include "../harness.h"

int main(void)
{
	pthread_key_t key;

	CHECK_OK(pthread_key_create(&key, NULL));
	CHECK_OK(pthread_key_delete(key));
	CHECK_EQ(pthread_key_delete(key), EINVAL);
	CHECK_EQ(pthread_setspecific(key, &key), EINVAL);
	CHECK_EQ(pthread_key_delete(PTHREAD_KEYS_MAX + 5), EINVAL);
	CHECK_EQ(pthread_setspecific(PTHREAD_KEYS_MAX + 5, &key), EINVAL);
}
