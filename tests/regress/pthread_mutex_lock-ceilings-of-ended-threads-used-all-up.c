// SPDX-License-Identifier: BSD-2-Clause
// Any number of real-time threads may end while they hold a mutex with a ceiling: others lock theirs all the same.
#include "../posix/ceiling.h"

enum { MANY = 100 };

static pthread_mutex_t m[MANY];

static void *ends(void *arg)
{
	become_real_time();
	CHECK_OK(pthread_mutex_lock(&m[(intptr_t)arg]));
	CHECK_EQ(shown_priority(), CEILING);
	return NULL;
}

int main(void)
{
	for (intptr_t i = 0; i < MANY; i++) {
		make_ceiling(&m[i], PTHREAD_PROCESS_PRIVATE);
		join(spawn(ends, (void *)i));
	}
}
