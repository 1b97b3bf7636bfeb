// SPDX-License-Identifier: BSD-2-Clause
/*
 * Waits in every way that has a limit, each in a thread of its own, and sees by the kernel's clock how long each lasted:
 * for run-beside-preloads, where libfaketime makes the program's clocks other ones.
 *
 * usage: clocks MS LEAST: waits of MS milliseconds of the program's take at least LEAST of the kernel's, and not much
 * more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MORE_MS = 8000 };		/* of a busy machine; less than a wait that another clock makes longer */

static struct timespec length;
static long ms, least_ms;
static int nothing[2];			/* a pipe */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, inheriting;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static sem_t none;

static struct timespec end(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += length.tv_sec + (t.tv_nsec + length.tv_nsec) / 1000000000;
	t.tv_nsec = (t.tv_nsec + length.tv_nsec) % 1000000000;
	return t;
}

static int by_nanosleep(void)
{
	return nanosleep(&length, NULL);
}

static int by_clock_nanosleep(void)
{
	struct timespec until = end();

	return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}

static int by_poll(void)
{
	return poll(&(struct pollfd){ .fd = nothing[0], .events = POLLIN }, 1, (int)ms);
}

static int by_select(void)
{
	struct timeval limit = { length.tv_sec, length.tv_nsec / 1000 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(nothing[0], &set);
	return select(nothing[0] + 1, &set, NULL, NULL, &limit);
}

static int by_epoll_wait(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(ep, EPOLL_CTL_ADD, nothing[0], &event);
	return epoll_wait(ep, &event, 1, (int)ms);
}

static int by_cond_timedwait(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec until = end();
	int err = 0;

	pthread_mutex_lock(&mutex);
	while (!err)
		err = pthread_cond_timedwait(&cond, &mutex, &until);
	return err != ETIMEDOUT;
}

static int by_sem_timedwait(void)
{
	struct timespec until = end();

	return sem_timedwait(&none, &until) == 0 || errno != ETIMEDOUT;
}

static int by_mutex_timedlock(void)
{
	struct timespec until = end();

	return pthread_mutex_timedlock(&held, &until) != ETIMEDOUT;
}

static int by_inheriting_timedlock(void)
{
	struct timespec until = end();

	return pthread_mutex_timedlock(&inheriting, &until) != ETIMEDOUT;
}

static int by_rwlock_timedrdlock(void)
{
	struct timespec until = end();

	return pthread_rwlock_timedrdlock(&written, &until) != ETIMEDOUT;
}

/* The kernel knows its own time only. */
static int by_futex(void)
{
	struct timespec limit = { least_ms / 1000, least_ms % 1000 * 1000000 };
	int word = 0;

	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0) == 0 || errno != ETIMEDOUT;
}

static const struct way {
	const char *name;
	int (*wait)(void);
} ways[] = {
	{ "nanosleep", by_nanosleep },
	{ "clock_nanosleep", by_clock_nanosleep },
	{ "poll", by_poll },
	{ "select", by_select },
	{ "epoll_wait", by_epoll_wait },
	{ "pthread_cond_timedwait", by_cond_timedwait },
	{ "sem_timedwait", by_sem_timedwait },
	{ "pthread_mutex_timedlock", by_mutex_timedlock },
	{ "pthread_mutex_timedlock, inheriting", by_inheriting_timedlock },
	{ "pthread_rwlock_timedrdlock", by_rwlock_timedrdlock },
	{ "futex", by_futex },
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static long kernels_ms(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* NULL if it was right. */
static void *wait_in(void *arg)
{
	const struct way *way = arg;
	long from = kernels_ms();
	int failed = way->wait();
	long took = kernels_ms() - from;

	if (!failed && took >= least_ms - 1 && took < least_ms + MORE_MS)
		return NULL;
	printf("%s: %s, %ld ms\n", way->name, failed ? "failed" : "too long or too short", took);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t inherit;
	pthread_t threads[WAYS];
	int wrong = 0;

	if (argc != 3)
		return 2;
	ms = atol(argv[1]);
	least_ms = atol(argv[2]);
	length = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
	pthread_mutexattr_init(&inherit);
	pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inheriting, &inherit);
	pthread_mutex_lock(&inheriting);
	pthread_mutex_lock(&held);
	pthread_rwlock_wrlock(&written);
	sem_init(&none, 0, 0);
	if (pipe(nothing))
		return 2;
	for (int i = 0; i < WAYS; i++)
		if (pthread_create(&threads[i], NULL, wait_in, (void *)(ways + i)))
			return 2;
	for (int i = 0; i < WAYS; i++) {
		void *is_wrong;

		pthread_join(threads[i], &is_wrong);
		wrong += is_wrong != NULL;
	}
	return wrong != 0;
}
