// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who owns a shared lock is told by a thread's number, and threads of a process and of its child, made
 * after the fork, had the same ones: an error-check mutex or an rwlock that a thread of the one held
 * was "held by myself" to a thread of the other, and a recursive mutex was locked by both.
 */
#include "../posix/harness.h"

enum { KINDS = 2 };

static struct objects {
	pthread_mutex_t mutex[KINDS];
	pthread_rwlock_t rwlock;
	sem_t is_held, is_tried;
} *o;

static void *hold(void *arg)
{
	for (int i = 0; i < KINDS; i++)
		CHECK_OK(pthread_mutex_lock(&o->mutex[i]));
	CHECK_OK(pthread_rwlock_wrlock(&o->rwlock));
	CHECK_OK(sem_post(&o->is_held));
	CHECK_OK(sem_wait(&o->is_tried));
	return arg;
}

static void *try(void *arg)
{
	struct timespec past = { 0 };

	CHECK_OK(sem_wait(&o->is_held));
	for (int i = 0; i < KINDS; i++) {
		CHECK_EQ(pthread_mutex_timedlock(&o->mutex[i], &past), ETIMEDOUT);
		CHECK_EQ(pthread_mutex_trylock(&o->mutex[i]), EBUSY);
		CHECK_EQ(pthread_mutex_unlock(&o->mutex[i]), EPERM);
	}
	CHECK_EQ(pthread_rwlock_timedwrlock(&o->rwlock, &past), ETIMEDOUT);
	CHECK_OK(sem_post(&o->is_tried));
	return arg;
}

static void in_thread(void *(*body)(void *))
{
	pthread_t t;

	CHECK_OK(pthread_create(&t, NULL, body, NULL));
	CHECK_OK(pthread_join(t, NULL));
}

int main(void)
{
	static const int types[KINDS] = { PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE };
	pthread_mutexattr_t ma;
	pthread_rwlockattr_t ra;
	int status;

	o = shared_memory(sizeof *o);
	CHECK_OK(pthread_mutexattr_init(&ma));
	CHECK_OK(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED));
	for (int i = 0; i < KINDS; i++) {
		CHECK_OK(pthread_mutexattr_settype(&ma, types[i]));
		CHECK_OK(pthread_mutex_init(&o->mutex[i], &ma));
	}
	CHECK_OK(pthread_rwlockattr_init(&ra));
	CHECK_OK(pthread_rwlockattr_setpshared(&ra, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_rwlock_init(&o->rwlock, &ra));
	CHECK_OK(sem_init(&o->is_held, 1, 0));
	CHECK_OK(sem_init(&o->is_tried, 1, 0));
	pid_t pid = fork_watched();

	in_thread(pid ? hold : try);
	if (pid == 0)
		_exit(0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}
