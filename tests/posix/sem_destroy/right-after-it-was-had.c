// SPDX-License-Identifier: BSD-2-Clause
// POSIX, sem_destroy: safe where no thread is blocked on it.  The one that has waited for all posts destroys the
// semaphore and disposes of its memory, though those who posted may not have returned yet (glibc's bug 12674).
#include "../disposed.h"

static void make(void *s, int round)
{
	CHECK_OK(sem_init(s, disposed_is_shared(round), 0));
}

/* In one of the ways that there are. */
static void wait_for(sem_t *s, int way)
{
	struct timespec late = in_ms(CLOCK_REALTIME, 3 * PATIENCE_MS);

	if (way == 0)
		CHECK_OK(sem_wait(s));
	else if (way == 1)
		CHECK_OK(sem_timedwait(s, &late));
	else
		while (sem_trywait(s))
			sched_yield();
}

static void use(void *s, int user, int round)
{
	if (user != round % DISPOSED_USERS) {
		CHECK_OK(sem_post(s));
		return;
	}
	for (int i = 1; i < DISPOSED_USERS; i++)
		wait_for(s, round / 3 % 3);
	CHECK_OK(sem_destroy(s));
	dispose(s, round);
}

int main(void)
{
	disposed_run((struct disposed){ make, use });
}
