// SPDX-License-Identifier: BSD-2-Clause
// Who holds a mutex with a ceiling, and asks for it once more in vain, has its priority as before.
#include "../posix/ceiling.h"

static void *asks_again(void *arg UNUSED)
{
	pthread_mutex_t m;

	become_real_time();
	make_ceiling(&m, PTHREAD_PROCESS_PRIVATE);
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_EQ(shown_priority(), CEILING);
	CHECK_EQ(pthread_mutex_trylock(&m), EBUSY);
	CHECK_EQ(shown_priority(), CEILING);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_EQ(shown_priority(), OWN);
	return NULL;
}

int main(void)
{
	join(spawn(asks_again, NULL));
}
