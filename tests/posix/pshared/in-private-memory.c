// SPDX-License-Identifier: BSD-2-Clause
// Process-shared objects in memory that no other process sees serve the threads of this one, and after a
// fork those of each process for itself.
#include "pshared.h"

enum { THREADS = 8, ROUNDS = 300 };

static struct objects *o;
static int sum;

static void *body(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_rwlock_wrlock(&o->rwlock));
		sum++;
		CHECK_OK(pthread_rwlock_unlock(&o->rwlock));
		CHECK_OK(pthread_mutex_lock(&o->mutex));
		if (++o->passed % THREADS == 0) {
			o->gate++;
			CHECK_OK(pthread_cond_broadcast(&o->cond));
		}
		while (o->gate <= i)
			CHECK_OK(pthread_cond_wait(&o->cond, &o->mutex));
		CHECK_OK(pthread_mutex_unlock(&o->mutex));
		pthread_barrier_wait(&o->barrier);
	}
	CHECK_OK(sem_post(&o->sem));
	return arg;
}

static void meet(void)
{
	pthread_t t[THREADS];
	struct timespec past = { 0 };

	sum = o->passed = o->gate = 0;
	spawn_many(t, THREADS, body);
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(sem_wait(&o->sem));
	join_many(t, THREADS);
	CHECK_EQ(sum, THREADS * ROUNDS);
	CHECK_EQ(o->gate, ROUNDS);
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	CHECK_EQ(pthread_cond_timedwait(&o->cond, &o->mutex, &past), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
}

int main(void)
{
	int status;

	o = malloc(sizeof *o);
	CHECK(o != NULL);
	init_objects(o, THREADS);
	meet();
	pid_t pid = fork_watched();

	meet();
	if (pid == 0)
		_exit(0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_OK(pthread_cond_destroy(&o->cond));
	CHECK_OK(pthread_barrier_destroy(&o->barrier));
	CHECK_OK(pthread_rwlock_destroy(&o->rwlock));
	CHECK_OK(pthread_mutex_destroy(&o->mutex));
	CHECK_OK(sem_destroy(&o->sem));
}
