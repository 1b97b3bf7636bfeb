// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program whose threads wait in every way at once, for the tools to describe: three mutexes in a
 * circle, a reader behind a writer, one in flock, one asleep, one in a read, some on a condition,
 * two that compute, one that joins, one on a semaphore.
 *
 * usage: situation WAITERS LOCKFILE [QUIET]; says "ready" and goes on until its standard input ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

pthread_mutex_t circle_lock[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				   PTHREAD_MUTEX_INITIALIZER };
pthread_rwlock_t shared_table = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t crowd_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t crowd_cond = PTHREAD_COND_INITIALIZER;
sem_t empty_sem;
atomic_int at_the_edge, crowd_size;
atomic_long spins;
int pipe_ends[2];
const char *lock_path;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

__attribute__((noinline)) void in_a_circle(long mine)
{
	pthread_mutex_lock(&circle_lock[mine]);
	at_the_edge++;
	while (at_the_edge < 3)
		usleep(1000);
	pthread_mutex_lock(&circle_lock[(mine + 1) % 3]);
}

static void *circle(void *arg)
{
	in_a_circle((long)arg);
	return NULL;
}

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&shared_table);
	sem_post(arg);
	sleep(86400);
	return NULL;
}

static void *reader(void *arg)
{
	sem_wait(arg);
	pthread_rwlock_rdlock(&shared_table);
	return NULL;
}

static void *locker(void *arg)
{
	int fd = open(lock_path, O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		die(lock_path);
	(void)arg;
	flock(fd, LOCK_EX);
	return NULL;
}

static void *sleeper(void *arg)
{
	(void)arg;
	sleep(86400);
	return NULL;
}

static void *pipe_reader(void *arg)
{
	char byte;

	(void)arg;
	return (void *)(long)read(pipe_ends[0], &byte, 1);
}

__attribute__((noinline)) void in_the_crowd(void)
{
	pthread_mutex_lock(&crowd_lock);
	crowd_size++;
	for (;;)
		pthread_cond_wait(&crowd_cond, &crowd_lock);
}

static void *crowd(void *arg)
{
	(void)arg;
	in_the_crowd();
	return NULL;
}

static void *computer(void *arg)
{
	(void)arg;
	while (spins >= 0)
		spins++;
	return NULL;
}

static void *joiner(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
	return NULL;
}

static void *sem_waiter(void *arg)
{
	(void)arg;
	sem_wait(&empty_sem);
	return NULL;
}

static pthread_t start(const char *name, void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	int err = pthread_create(&t, &attr, fn, arg);

	if (err) {
		fprintf(stderr, "pthread_create: %s\n", strerror(err));
		exit(1);
	}
	if (name)
		pthread_setname_np(t, name);
	return t;
}

int main(int argc, char **argv)
{
	int waiters = argc > 1 ? atoi(argv[1]) : 10;
	static sem_t written;
	static pthread_t asleep;
	char byte;

	lock_path = argc > 2 ? argv[2] : "situation.lock";
	int held = open(lock_path, O_RDWR | O_CREAT, 0600);

	if (held < 0 || flock(held, LOCK_EX) || pipe(pipe_ends))
		die("situation");
	sem_init(&written, 0, 0);
	sem_init(&empty_sem, 0, 0);
	for (long i = 0; i < 3; i++)
		start("circle", circle, (void *)i);
	start("writer", writer, &written);
	start("reader", reader, &written);
	start("locker", locker, NULL);
	asleep = start("sleeper", sleeper, NULL);
	start("pipe-reader", pipe_reader, NULL);
	start("joiner", joiner, &asleep);
	start("sem-waiter", sem_waiter, NULL);
	for (int i = 0; i < waiters; i++)
		start(NULL, crowd, NULL);
	while (crowd_size < waiters)
		usleep(1000);
	if (argc <= 3)
		for (int i = 0; i < 2; i++)
			start("computer", computer, NULL);
	usleep(300 * 1000);
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	_exit(0);
}
