// SPDX-License-Identifier: BSD-2-Clause
/* Threads of two processes that wait for a robust mutex whose owner ends without unlocking it. */
#ifndef WAITERS_H
#define WAITERS_H

#include "../robust.h"

enum { WAITERS = 3 };

struct waiters {
	pthread_mutex_t m;
	atomic_int entered, had, told, refused;		/* 0, EOWNERDEAD, ENOTRECOVERABLE */
	atomic_bool is_held, may_end;
	bool recovers;		/* who is told makes it consistent */
	int n;			/* how many wait in each of the two */
};

static struct waiters *w;

static inline void waiters_init(int protocol, bool recovers, int n)
{
	w = shared_memory(sizeof *w);
	w->recovers = recovers;
	w->n = n;
	robust_init(&w->m, PTHREAD_MUTEX_NORMAL, protocol);
}

static inline int waiters_lock(int way)
{
	struct timespec late = in_ms(CLOCK_REALTIME, 3 * PATIENCE_MS);

	if (way == 0)
		return pthread_mutex_timedlock(&w->m, &late);
	return pthread_mutex_lock(&w->m);
}

static inline void *waiters_wait(void *arg)
{
	w->entered++;
	int rc = waiters_lock((int)(intptr_t)arg);

	if (rc == ENOTRECOVERABLE) {
		w->refused++;
		return NULL;
	}
	if (rc == EOWNERDEAD) {
		w->told++;
		if (w->recovers)
			CHECK_OK(pthread_mutex_consistent(&w->m));
	} else {
		CHECK_EQ(rc, 0);
		w->had++;
	}
	CHECK_OK(pthread_mutex_unlock(&w->m));
	return NULL;
}

static inline void waiters_run(void)
{
	pthread_t t[WAITERS];

	spawn_many(t, w->n, waiters_wait);
	join_many(t, w->n);
}

/* `end` makes the owner end, once it has the mutex and all wait. */
static inline void waiters_of_two_processes(void (*end)(void))
{
	pthread_t t[WAITERS];
	int status;
	pid_t pid;

	WAIT_FOR(w->is_held);
	pid = fork_watched();
	if (pid == 0) {
		waiters_run();
		_exit(0);
	}
	spawn_many(t, w->n, waiters_wait);
	WAIT_FOR(w->entered == 2 * w->n);
	settle();
	end();
	join_many(t, w->n);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static inline void waiters_fini(void)
{
	CHECK_OK(pthread_mutex_destroy(&w->m));
	CHECK_OK(munmap(w, sizeof *w));
}

#endif
