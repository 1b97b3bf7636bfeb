// SPDX-License-Identifier: BSD-2-Clause
// A thousand threads wait for objects of every kind that another process sets free: each is woken,
// and once.
#include "pshared.h"

enum { EACH = 160, KINDS = 6 };

static struct objects *o;
static atomic_int arrived;

static void wait_cond(void)
{
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	while (!o->gate)
		CHECK_OK(pthread_cond_wait(&o->cond, &o->mutex));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
}

static void *body(void *arg)
{
	atomic_fetch_add(&arrived, 1);
	switch ((int)(intptr_t)arg % KINDS) {
	case 0:
		CHECK_OK(sem_wait(&o->sem));
		break;
	case 1:
		wait_cond();
		break;
	case 2:
		CHECK_OK(pthread_rwlock_rdlock(&o->rwlock));
		CHECK_OK(pthread_rwlock_unlock(&o->rwlock));
		break;
	case 3:
		CHECK_OK(pthread_rwlock_wrlock(&o->rwlock));
		CHECK_OK(pthread_rwlock_unlock(&o->rwlock));
		break;
	case 4:
		pthread_barrier_wait(&o->barrier);
		break;
	default:
		for (int seen; (seen = atomic_load(&o->word)) != 1;)
			futex(&o->word, SHARED_WAIT_OP, seen, NULL);
	}
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->passed++;
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	return NULL;
}

static void child(void)
{
	CHECK_OK(pthread_rwlock_wrlock(&o->rwlock));
	CHECK_OK(sem_post(&o->sem));		/* ready */
	WAIT_FOR(atomic_load(&o->word) == -1);
	atomic_store(&o->word, 1);
	futex(&o->word, SHARED_WAKE_OP, INT_MAX, NULL);
	for (int i = 0; i < EACH; i++)
		CHECK_OK(sem_post(&o->sem));
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->gate = 1;
	CHECK_OK(pthread_cond_broadcast(&o->cond));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	CHECK_OK(pthread_rwlock_unlock(&o->rwlock));
	pthread_barrier_wait(&o->barrier);
}

int main(void)
{
	static pthread_t t[EACH * KINDS];
	pid_t pid;
	int status;

	o = make_objects(EACH + 1);
	pid = fork_watched();
	if (pid == 0) {
		child();
		_exit(0);
	}
	CHECK_OK(sem_wait(&o->sem));
	spawn_many(t, EACH * KINDS, body);
	WAIT_FOR(atomic_load(&arrived) == EACH * KINDS);
	settle();
	atomic_store(&o->word, -1);
	futex(&o->word, SHARED_WAKE_OP, INT_MAX, NULL);
	join_many(t, EACH * KINDS);
	CHECK_EQ(o->passed, EACH * KINDS);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}
