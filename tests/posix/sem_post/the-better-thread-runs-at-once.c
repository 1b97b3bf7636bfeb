// SPDX-License-Identifier: BSD-2-Clause
// On one processor a real-time thread that wakes one of a higher priority goes on when that one waits again,
// sched(7): by a semaphore, a condition, a mutex, an rwlock, a barrier or a pipe.  One of a lower or the same
// priority does not run.
#include "../fifo.h"

enum { LOW = 2, MIDDLE = 5, HIGH = 8 };
enum way { SEMAPHORE, CONDITION, MUTEX, RWLOCK, BARRIER, PIPE, WAYS };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t s;
static int fds[2];
static bool is_said;
static atomic_bool waits, has_run;

static void wait_for_condition(void)
{
	CHECK_OK(pthread_mutex_lock(&m));
	while (!is_said)
		CHECK_OK(pthread_cond_wait(&c, &m));
	CHECK_OK(pthread_mutex_unlock(&m));
}

static void *is_woken(void *arg)
{
	enum way way = (enum way)(intptr_t)arg;
	char byte;

	waits = true;
	switch (way) {
	case SEMAPHORE: CHECK_OK(sem_wait(&s)); break;
	case CONDITION: wait_for_condition(); break;
	case MUTEX: CHECK_OK(pthread_mutex_lock(&held)); break;
	case RWLOCK: CHECK_OK(pthread_rwlock_rdlock(&rwlock)); break;
	case BARRIER: pthread_barrier_wait(&barrier); break;
	default: CHECK_EQ(read(fds[0], &byte, 1), 1);
	}
	has_run = true;
	if (way == MUTEX)
		CHECK_OK(pthread_mutex_unlock(&held));
	if (way == RWLOCK)
		CHECK_OK(pthread_rwlock_unlock(&rwlock));
	return NULL;
}

static void hold(enum way way)
{
	is_said = waits = has_run = false;
	if (way == MUTEX)
		CHECK_OK(pthread_mutex_lock(&held));
	if (way == RWLOCK)
		CHECK_OK(pthread_rwlock_wrlock(&rwlock));
}

static void say(void)
{
	CHECK_OK(pthread_mutex_lock(&m));
	is_said = true;
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(pthread_cond_signal(&c));
}

static void wake(enum way way)
{
	switch (way) {
	case SEMAPHORE: CHECK_OK(sem_post(&s)); break;
	case CONDITION: say(); break;
	case MUTEX: CHECK_OK(pthread_mutex_unlock(&held)); break;
	case RWLOCK: CHECK_OK(pthread_rwlock_unlock(&rwlock)); break;
	case BARRIER: pthread_barrier_wait(&barrier); break;
	default: CHECK_EQ(write(fds[1], "x", 1), 1);
	}
}

/* As MIDDLE, with one of this priority that waits; it may wait only once the caller does. */
static void one(enum way way, int priority)
{
	pthread_t t;

	hold(way);
	t = spawn_fifo(priority, is_woken, (void *)(intptr_t)way);
	WAIT_FOR(waits);
	settle();
	CHECK(!has_run);
	wake(way);
	CHECK_EQ(has_run, priority > MIDDLE);
	join(t);
	CHECK(has_run);
}

static void *wakes(void *arg)
{
	for (enum way way = SEMAPHORE; way < WAYS; way++) {
		one(way, HIGH);
		one(way, LOW);
		one(way, MIDDLE);
	}
	return arg;
}

int main(void)
{
	use_one_cpu();
	CHECK_OK(sem_init(&s, 0, 0));
	CHECK_OK(pthread_barrier_init(&barrier, NULL, 2));
	CHECK_OK(pipe(fds));
	join(spawn_fifo(MIDDLE, wakes, NULL));
}
