// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process is killed after each of the instructions of a lock and an unlock of a robust mutex (as many as time allows):
 * who waits and who comes later, in another process, get the mutex, and half done data only with EOWNERDEAD.
 * A test says which thread is stepped (stopped_child), and in that calls lock_once.
 */
#ifndef STEPS_H
#define STEPS_H

#include "../robust.h"
#include <sys/ptrace.h>

enum { STEPS_MAX = 20000 };

struct shared {
	pthread_mutex_t m;
	volatile unsigned left, right;
	volatile int stage;		/* of the child: 1 about to lock, 2 has it, 3 has given it up */
	volatile int tid;		/* for the tests' own use: which thread it is, and may it begin? */
	volatile bool go;
};

struct stepped { pid_t pid, tid; };

static struct shared *s;
static atomic_int waiting;

/* A new child, of which a thread is stopped before the lock. */
static struct stepped stopped_child(void);

static void use(int rc)
{
	if (rc == EOWNERDEAD) {
		s->right = s->left;
		CHECK_OK(pthread_mutex_consistent(&s->m));
	} else {
		CHECK_EQ(rc, 0);
	}
	CHECK_EQ(s->left, s->right);
	CHECK_OK(pthread_mutex_unlock(&s->m));
}

static void *waits(void *arg)
{
	waiting = 1;
	use(pthread_mutex_lock(&s->m));
	return arg;
}

static void lock_once(void)
{
	s->stage = 1;
	CHECK_OK(pthread_mutex_lock(&s->m));
	s->stage = 2;
	s->left = s->left + 1;
	s->right = s->right + 1;
	CHECK_OK(pthread_mutex_unlock(&s->m));
	s->stage = 3;
}

/* A signal that comes meanwhile is the thread's. */
static void step(struct stepped c)
{
	static int sig;
	int status;

	CHECK_OK(ptrace(PTRACE_SINGLESTEP, c.tid, 0, (long)sig));
	CHECK_EQ(waitpid(c.tid, &status, __WALL), c.tid);
	CHECK(WIFSTOPPED(status));
	sig = status >> 16 || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
}

static void finish(struct stepped c)
{
	CHECK_OK(kill(c.pid, SIGKILL));
	if (c.tid != c.pid)
		CHECK_EQ(waitpid(c.tid, NULL, __WALL), c.tid);
	CHECK_EQ(waitpid(c.pid, NULL, 0), c.pid);
}

static struct stepped child_at_lock(void)
{
	s->stage = 0;
	struct stepped c = stopped_child();

	for (int n = 0; s->stage == 0; n++) {
		CHECK(n < STEPS_MAX);
		step(c);
	}
	return c;
}

/* How many of its steps have to do with the mutex. */
static int count_steps(void)
{
	struct stepped c = child_at_lock();
	int n = 0;

	for (; s->stage < 3 && n < STEPS_MAX; n++)
		step(c);
	CHECK_EQ(s->stage, 3);
	finish(c);
	use(pthread_mutex_lock(&s->m));
	return n;
}

static void kill_at(int n, bool is_waited_for)
{
	struct stepped c = child_at_lock();
	pthread_t t;
	bool has_waiter = false;

	waiting = 0;
	for (int i = 0; i < n && s->stage < 3; i++) {
		step(c);
		if (!is_waited_for || has_waiter || s->stage != 2)
			continue;
		has_waiter = true;
		t = spawn(waits, NULL);
		WAIT_FOR(waiting);
		usleep(500);
	}
	finish(c);
	if (has_waiter)
		join(t);
	use(pthread_mutex_trylock(&s->m));
	use(pthread_mutex_lock(&s->m));
}

/* The steps in an order that spreads them, however few there is time for. */
static void kill_at_each(bool is_waited_for, int part_ms)
{
	uint64_t end = now_ns() + (uint64_t)share_of(part_ms) * 1000000;
	int n = count_steps(), by = 89;

	while (n % by == 0)
		by += 2;
	for (int i = 0, at = (int)(getpid() % n); i < n && now_ns() < end; i++, at = (at + by) % n)
		if (is_due((unsigned)i, 4))
			kill_at(at, is_waited_for);
}

static void make_shared(void)
{
	s = shared_memory(sizeof *s);
	robust_init(&s->m, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
	use(pthread_mutex_lock(&s->m));		/* the loader's steps have been taken */
}

#endif
