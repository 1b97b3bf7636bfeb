// SPDX-License-Identifier: BSD-2-Clause
// A handler runs on a thread that waits for a shared object: without SA_RESTART it ends sem_wait and
// a raw futex wait; with it, those go on; and a wait for a lock or a condition goes on in any case.
#include "pshared.h"

static struct objects *o;
static atomic_int handled, entered, ended;

static void handler(int sig UNUSED)
{
	static char line[64];

	snprintf(line, sizeof line, "%d", atomic_fetch_add(&handled, 1));	/* libc's code, as handlers use it */
	CHECK_EQ(write(-1, line, 1), -1);
}

static void *in_sem(void *arg)
{
	bool ends = arg;

	atomic_store(&entered, 1);
	if (ends)
		CHECK_ERRNO(sem_wait(&o->sem), EINTR);
	else
		CHECK_OK(sem_wait(&o->sem));
	atomic_store(&ended, 1);
	return NULL;
}

static void *in_futex(void *arg)
{
	bool ends = arg;

	atomic_store(&entered, 1);
	if (ends)
		CHECK_ERRNO(futex(&o->word, SHARED_WAIT_OP, 0, NULL), EINTR);
	else
		CHECK_OK(futex(&o->word, SHARED_WAIT_OP, 0, NULL));
	atomic_store(&ended, 1);
	return NULL;
}

static void *in_mutex(void *arg UNUSED)
{
	atomic_store(&entered, 1);
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	return NULL;
}

static void *in_cond(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	atomic_store(&entered, 1);
	while (!o->gate)
		CHECK_OK(pthread_cond_wait(&o->cond, &o->mutex));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	return NULL;
}

/* Sends one signal to a new thread in `body`, when it most likely waits. */
static pthread_t interrupt(void *(*body)(void *), bool ends, int flags)
{
	int before = atomic_load(&handled);
	pthread_t t;

	on_signal(SIGUSR1, handler, flags);
	atomic_store(&entered, 0);
	atomic_store(&ended, 0);
	t = spawn(body, ends ? (void *)1 : NULL);
	WAIT_FOR(atomic_load(&entered));
	settle();
	CHECK_OK(pthread_kill(t, SIGUSR1));
	if (ends) {
		while (!atomic_load(&ended)) {		/* the signal may have come too early */
			sleep_ms(20);
			if (!atomic_load(&ended))
				CHECK_OK(pthread_kill(t, SIGUSR1));
		}
	}
	WAIT_FOR(atomic_load(&handled) > before);
	return t;
}

int main(void)
{
	pthread_t t;

	o = make_objects(1);
	join(interrupt(in_sem, true, 0));
	join(interrupt(in_futex, true, 0));
	t = interrupt(in_sem, false, SA_RESTART);
	CHECK_OK(sem_post(&o->sem));
	join(t);
	t = interrupt(in_futex, false, SA_RESTART);
	CHECK(!atomic_load(&ended));
	while (futex(&o->word, SHARED_WAKE_OP, 1, NULL) != 1)	/* it may not be back from its handler */
		sleep_ms(1);
	join(t);
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	t = interrupt(in_mutex, false, 0);
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	join(t);
	t = interrupt(in_cond, false, 0);
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->gate = 1;
	CHECK_OK(pthread_cond_signal(&o->cond));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	join(t);
}
