// SPDX-License-Identifier: BSD-2-Clause
// A handler leaves a wait for a shared semaphore by siglongjmp; the thread and the semaphore work on.
#include <setjmp.h>

#include "pshared.h"

enum { ROUNDS = 20 };

static struct objects *o;
static atomic_int entered;
static __thread sigjmp_buf out;

static void handler(int sig UNUSED)
{
	siglongjmp(out, 1);
}

static void *body(void *arg UNUSED)
{
	for (volatile int i = 0; i < ROUNDS; i++) {
		if (sigsetjmp(out, 1) == 0) {
			atomic_store(&entered, 1);
			sem_wait(&o->sem);
			CHECK(false);
		}
	}
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	return NULL;
}

int main(void)
{
	pthread_t t;

	o = make_objects(1);
	on_signal(SIGUSR1, handler, 0);
	t = spawn(body, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		WAIT_FOR(atomic_exchange(&entered, 0));
		sleep_ms(2);
		CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	join(t);
}
