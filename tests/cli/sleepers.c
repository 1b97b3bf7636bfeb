// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: sleepers WAY
 * THREADS threads sleep ROUNDS times each, in one of the ways below, or by turns in all; says to tests/cli/calls.c when.  Prints
 * "operations N", how many sleeps, and "kernel threads N", how many there were meanwhile.  1: a sleep ended wrongly.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

enum { THREADS = 1000, ROUNDS = 6, MS = 100 };

static pthread_barrier_t barrier;
static atomic_int wrong;
static sem_t sem;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;

static struct timespec after_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += MS * 1000000L;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static int by_nanosleep(void)
{
	struct timespec t = { 0, MS * 1000000L };

	return nanosleep(&t, NULL);
}

static int by_clock_nanosleep(void)
{
	struct timespec t = after_ms(CLOCK_MONOTONIC);

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int by_clock_nanosleep_realtime(void)
{
	struct timespec t = after_ms(CLOCK_REALTIME);

	return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
}

static int by_usleep(void)
{
	return usleep(MS * 1000);
}

static int by_poll(void)
{
	return poll(NULL, 0, MS);
}

static int by_select(void)
{
	struct timeval t = { 0, MS * 1000 };

	return select(0, NULL, NULL, NULL, &t);
}

static int by_cond(void)
{
	struct timespec t = after_ms(CLOCK_REALTIME);

	pthread_mutex_lock(&lock);
	int err = pthread_cond_timedwait(&cond, &lock, &t);

	pthread_mutex_unlock(&lock);
	return err != ETIMEDOUT && err != 0;
}

static int by_sem(void)
{
	struct timespec t = after_ms(CLOCK_REALTIME);

	return sem_timedwait(&sem, &t) != -1 || errno != ETIMEDOUT;
}

static int by_mutex(void)
{
	struct timespec t = after_ms(CLOCK_REALTIME);

	return pthread_mutex_timedlock(&held, &t) != ETIMEDOUT;
}

static int by_rwlock(void)
{
	struct timespec t = after_ms(CLOCK_REALTIME);

	return pthread_rwlock_timedrdlock(&written, &t) != ETIMEDOUT;
}

static const struct way {
	const char *name;
	int (*sleep)(void);
} ways[] = {
	{ "nanosleep", by_nanosleep }, { "clock_nanosleep", by_clock_nanosleep },
	{ "clock_nanosleep_realtime", by_clock_nanosleep_realtime }, { "usleep", by_usleep }, { "poll", by_poll },
	{ "select", by_select }, { "cond", by_cond }, { "sem", by_sem }, { "mutex", by_mutex }, { "rwlock", by_rwlock },
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static void *sleeper(void *arg)
{
	const struct way *way = arg;

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < ROUNDS; i++)
		wrong += way->sleep() != 0;
	pthread_barrier_wait(&barrier);
	return NULL;
}

static int kernel_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = -2;

	if (!d)
		return -1;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	static pthread_t t[THREADS];
	const char *name = argc > 1 ? argv[1] : "";
	int way = 0;

	while (way < WAYS && strcmp(ways[way].name, name) != 0)
		way++;
	if (way == WAYS && strcmp(name, "all") != 0)
		return 2;
	alarm(50);
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	sem_init(&sem, 0, 0);
	pthread_mutex_lock(&held);
	pthread_rwlock_wrlock(&written);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, sleeper, (void *)&ways[way < WAYS ? way : i % WAYS]))
			return 3;
	prctl(CALLS_MARK, 1, 0, 0, 0);
	pthread_barrier_wait(&barrier);
	usleep(MS * 4000);	/* what was needed to begin with has gone */
	int n = kernel_threads();

	pthread_barrier_wait(&barrier);
	prctl(CALLS_MARK, 0, 0, 0, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("operations %d\nkernel threads %d\n", THREADS * ROUNDS, n);
	return wrong != 0;
}
