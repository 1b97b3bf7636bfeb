// SPDX-License-Identifier: BSD-2-Clause
// Another process's rubbish makes libc loop for ever in a process-shared lock: as many threads as there are processors,
// and more, come to it, and the others go on.
#include "../posix/harness.h"

enum { LOOPING = 4, LIBC_WRITERS_PHASE = 1, LIBC_WRITER = 2, TURNS = 20 };

static pthread_rwlock_t *broken;
static atomic_int begun, turns;

static void *loops(void *arg)
{
	begun++;
	pthread_rwlock_rdlock(broken);
	return arg;
}

static void *goes_on(void *arg)
{
	for (;; turns++)
		sleep_ms(1);
	return arg;
}

int main(void)
{
	pthread_rwlockattr_t a;
	pthread_t t[LOOPING];

	broken = shared_memory(sizeof *broken);
	CHECK_OK(pthread_rwlockattr_init(&a));
	CHECK_OK(pthread_rwlockattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_rwlock_init(broken, &a));
	/* Readers wait for the writer's end, and somebody says that it has come. */
	broken->__data.__readers = LIBC_WRITERS_PHASE | LIBC_WRITER;
	broken->__data.__wrphase_futex = 0;
	spawn(goes_on, NULL);
	spawn_many(t, LOOPING, loops);
	WAIT_FOR(begun == LOOPING);
	settle();
	int before = turns;

	WAIT_FOR(turns >= before + TURNS);
	_exit(0);		/* they loop on */
}
