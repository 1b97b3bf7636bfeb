// SPDX-License-Identifier: BSD-2-Clause
// trylock of a held mutex: EBUSY for normal, error-checking and another one's recursive; its own
// recursive one is locked once more.
#include "../harness.h"

static pthread_mutex_t m;

static void *other(void *arg)
{
	CHECK_EQ(pthread_mutex_trylock(&m), EBUSY);
	return arg;
}

int main(void)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE,
				     PTHREAD_MUTEX_ADAPTIVE_NP };

	for (int i = 0; i < 4; i++) {
		pthread_mutexattr_t a;
		int own = types[i] == PTHREAD_MUTEX_RECURSIVE ? 0 : EBUSY;

		CHECK_OK(pthread_mutexattr_init(&a));
		CHECK_OK(pthread_mutexattr_settype(&a, types[i]));
		CHECK_OK(pthread_mutex_init(&m, &a));
		CHECK_OK(pthread_mutex_trylock(&m));
		CHECK_EQ(pthread_mutex_trylock(&m), own);
		join(spawn(other, NULL));
		CHECK_OK(pthread_mutex_unlock(&m));
		if (own == 0) {
			join(spawn(other, NULL));
			CHECK_OK(pthread_mutex_unlock(&m));
		}
		CHECK_OK(pthread_mutex_trylock(&m));
		CHECK_OK(pthread_mutex_unlock(&m));
		CHECK_OK(pthread_mutex_destroy(&m));
	}
}
