// SPDX-License-Identifier: BSD-2-Clause
// A robust mutex of PTHREAD_PRIO_INHERIT whose owner's process is killed, while others wait or before they come: one is
// told EOWNERDEAD (POSIX, pthread_mutex_lock), and the others have it once it is consistent.
#include "../robust.h"

enum { ROUNDS = 12, WAITERS = 3 };

struct shared {
	pthread_mutex_t m;
	atomic_bool is_held;
};

static struct shared *s;
static atomic_int entered, told;

static void *owns(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&s->m));
	s->is_held = true;
	for (;;)
		pause();
	return arg;
}

static int lock(int way)
{
	struct timespec late = in_ms(CLOCK_REALTIME, PATIENCE_MS);
	int rc;

	if (way == 0)
		return pthread_mutex_lock(&s->m);
	if (way == 1)
		return pthread_mutex_timedlock(&s->m, &late);
	while ((rc = pthread_mutex_trylock(&s->m)) == EBUSY)
		usleep(200);
	return rc;
}

static void *wants(void *arg)
{
	entered++;
	int rc = lock((int)(intptr_t)arg % 3);

	if (rc == EOWNERDEAD) {
		told++;
		CHECK_OK(pthread_mutex_consistent(&s->m));
	} else {
		CHECK_EQ(rc, 0);
	}
	CHECK_OK(pthread_mutex_unlock(&s->m));
	return arg;
}

/* The owner is the child's main thread, or another of its threads. */
static pid_t owner(bool is_main)
{
	pid_t pid;

	s->is_held = false;
	pid = fork_watched();
	if (pid == 0) {
		if (is_main)
			owns(NULL);
		join(spawn(owns, NULL));
	}
	WAIT_FOR(s->is_held);
	return pid;
}

static void finish(pid_t pid)
{
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

static void test(int round)
{
	pid_t pid = owner(round & 1);
	pthread_t t[WAITERS];

	entered = told = 0;
	if (round & 2)
		finish(pid);
	spawn_many(t, WAITERS, wants);
	WAIT_FOR(entered == WAITERS);
	usleep(2000);
	if (!(round & 2))
		finish(pid);
	join_many(t, WAITERS);
	CHECK_EQ(told, 1);
	CHECK_OK(pthread_mutex_trylock(&s->m));
	CHECK_OK(pthread_mutex_unlock(&s->m));
}

int main(void)
{
	s = shared_memory(sizeof *s);
	robust_init(&s->m, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
	for (int i = 0; i < ROUNDS; i++)
		test(i);
	CHECK_OK(pthread_mutex_destroy(&s->m));
}
