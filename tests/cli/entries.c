// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: entries CASE
 * Operations whose system calls are counted by tests/cli/calls.c; prints "operations N".
 *
 *   local WHAT     two threads in turns, by semaphores (sem), a mutex and conditions (cond), or a barrier
 *   shared         a process-shared mutex, rwlock and semaphore that nobody waits for
 *   WHAT N         two processes in turns, as local, by process-shared objects; N more threads that wait in each
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

enum { TURNS = 10000, TURNS_BETWEEN = 1000 };

static void mark(int on)
{
	prctl(CALLS_MARK, on, 0, 0, 0);
}

/* What two take turns by; in memory that a child shares. */
static struct turns {
	sem_t sems[2];
	pthread_mutex_t lock;
	pthread_cond_t cond[2];
	pthread_barrier_t barrier;
	int turn;
} *turns;

static void turn_by_sem(int me)
{
	sem_wait(&turns->sems[me]);
	sem_post(&turns->sems[!me]);
}

static void turn_by_cond(int me)
{
	pthread_mutex_lock(&turns->lock);
	while (turns->turn != me)
		pthread_cond_wait(&turns->cond[me], &turns->lock);
	turns->turn = !me;
	pthread_cond_signal(&turns->cond[!me]);
	pthread_mutex_unlock(&turns->lock);
}

static void turn_by_barrier(int me)
{
	(void)me;
	pthread_barrier_wait(&turns->barrier);
}

static void (*take_turn)(int me);

static bool choose(const char *what, int is_shared)
{
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;
	pthread_barrierattr_t ba;

	take_turn = !strcmp(what, "sem") ? turn_by_sem : !strcmp(what, "cond") ? turn_by_cond :
		    !strcmp(what, "barrier") ? turn_by_barrier : NULL;
	pthread_mutexattr_init(&ma);
	pthread_condattr_init(&ca);
	pthread_barrierattr_init(&ba);
	pthread_mutexattr_setpshared(&ma, is_shared);
	pthread_condattr_setpshared(&ca, is_shared);
	pthread_barrierattr_setpshared(&ba, is_shared);
	pthread_mutex_init(&turns->lock, &ma);
	pthread_barrier_init(&turns->barrier, &ba, 2);
	for (int i = 0; i < 2; i++) {
		sem_init(&turns->sems[i], is_shared, i == 0);
		pthread_cond_init(&turns->cond[i], &ca);
	}
	return take_turn;
}

static void *other(void *arg)
{
	for (int i = 0; i < TURNS; i++)
		take_turn(1);
	return arg;
}

static int local(const char *what)
{
	pthread_t t;

	if (!choose(what, PTHREAD_PROCESS_PRIVATE))
		return 2;
	if (pthread_create(&t, NULL, other, NULL))
		return 3;
	for (int i = 0; i < TURNS; i++) {
		if (i == TURNS / 10)
			mark(1);	/* both are there */
		if (i == TURNS - TURNS / 10)
			mark(0);
		take_turn(0);
	}
	pthread_join(t, NULL);
	printf("operations %d\n", 2 * (TURNS - 2 * (TURNS / 10)));
	return 0;
}

static int shared(void)
{
	struct all {
		pthread_mutex_t m;
		pthread_rwlock_t rw;
		sem_t s;
	} *all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t ma;
	pthread_rwlockattr_t ra;

	if (all == MAP_FAILED)
		return 3;
	pthread_mutexattr_init(&ma);
	pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&all->m, &ma);
	pthread_rwlockattr_init(&ra);
	pthread_rwlockattr_setpshared(&ra, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(&all->rw, &ra);
	sem_init(&all->s, 1, 0);
	mark(1);
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&all->m);
		pthread_mutex_unlock(&all->m);
		pthread_rwlock_rdlock(&all->rw);
		pthread_rwlock_unlock(&all->rw);
		sem_post(&all->s);
		sem_wait(&all->s);
	}
	mark(0);
	printf("operations %d\n", 6 * TURNS);
	return 0;
}

static atomic_int asleep;

static void *bystander(void *arg)
{
	asleep++;
	pause();
	return arg;
}

static void with_bystanders(int n)
{
	pthread_t t;

	asleep = 0;
	for (int i = 0; i < n; i++)
		if (pthread_create(&t, NULL, bystander, NULL))
			exit(3);
	while (asleep < n)
		usleep(1000);
}

static int processes(const char *what, int nbystanders)
{
	if (!choose(what, PTHREAD_PROCESS_SHARED))
		return 2;
	pid_t pid = fork();

	with_bystanders(nbystanders);
	for (int i = 0; i < TURNS_BETWEEN; i++) {
		if (pid && i == TURNS_BETWEEN / 10)
			mark(1);
		if (pid && i == TURNS_BETWEEN - TURNS_BETWEEN / 10)
			mark(0);
		take_turn(pid == 0);
	}
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	printf("operations %d\n", 2 * (TURNS_BETWEEN - 2 * (TURNS_BETWEEN / 10)));
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *which = argc > 2 ? argv[2] : "0";

	alarm(50);
	turns = mmap(NULL, sizeof(*turns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (turns == MAP_FAILED)
		return 3;
	if (!strcmp(what, "local"))
		return local(which);
	if (!strcmp(what, "shared"))
		return shared();
	return processes(what, atoi(which));
}
