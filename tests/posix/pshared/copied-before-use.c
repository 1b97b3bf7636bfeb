// SPDX-License-Identifier: BSD-2-Clause
// Process-shared objects that are made in private memory and copied into shared memory before anybody
// uses them work between processes there.  (POSIX leaves that open; it is done.)
#include "pshared.h"

static struct objects *o;

static void child(void)
{
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->passed = 1;
	while (!o->gate)
		CHECK_OK(pthread_cond_wait(&o->cond, &o->mutex));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	CHECK_OK(sem_wait(&o->sem));
	CHECK_OK(pthread_rwlock_rdlock(&o->rwlock));
	CHECK_EQ(o->passed, 2);
	CHECK_OK(pthread_rwlock_unlock(&o->rwlock));
	pthread_barrier_wait(&o->barrier);
}

static bool has_passed(void)
{
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	bool has = o->passed;

	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	return has;
}

static void *parent(void *arg)
{
	WAIT_FOR(has_passed());
	CHECK_OK(pthread_rwlock_wrlock(&o->rwlock));
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->gate = 1;
	CHECK_OK(pthread_cond_signal(&o->cond));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	CHECK_OK(sem_post(&o->sem));
	settle();
	o->passed = 2;
	CHECK_OK(pthread_rwlock_unlock(&o->rwlock));
	pthread_barrier_wait(&o->barrier);
	return arg;
}

int main(void)
{
	struct objects made;
	int status;

	memset(&made, 0, sizeof made);
	init_objects(&made, 2);
	o = shared_memory(sizeof *o);
	memcpy(o, &made, sizeof made);
	pid_t pid = fork_watched();

	if (pid == 0) {
		child();
		_exit(0);
	}
	pthread_t t;

	CHECK_OK(pthread_create(&t, NULL, parent, NULL));
	CHECK_OK(pthread_join(t, NULL));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}
