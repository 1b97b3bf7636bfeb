// SPDX-License-Identifier: BSD-2-Clause
// A process-shared mutex with a ceiling raises a real-time thread that locks it, each time.
#include "../posix/ceiling.h"

static pthread_mutex_t *m;

static void *locks(void *arg UNUSED)
{
	become_real_time();
	for (int i = 0; i < 3; i++) {
		CHECK_OK(pthread_mutex_lock(m));
		CHECK_EQ(shown_priority(), CEILING);
		CHECK_OK(pthread_mutex_unlock(m));
		CHECK_EQ(shown_priority(), OWN);
	}
	return NULL;
}

int main(void)
{
	m = shared_memory(sizeof(*m));
	make_ceiling(m, PTHREAD_PROCESS_SHARED);
	join(spawn(locks, NULL));
	join(spawn(locks, NULL));
}
