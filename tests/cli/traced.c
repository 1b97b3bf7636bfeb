// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program whose trace is known: two players take ROUNDS turns, four owners hold one lock while
 * they sleep 1 ms, 25 times each; one thread waits 300 ms in flock, one 100 ms for a pipe, one sleeps
 * 100 ms, and as many threads as asked for compute for 60 ms each.  Of more than 1000 rounds the
 * players rest for 1 ms after each 100.
 *
 * usage: traced ROUNDS COMPUTERS LOCKFILE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t turn_cond[2] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };
pthread_mutex_t hot_lock = PTHREAD_MUTEX_INITIALIZER;
static int turn, rounds;
static int pipe_ends[2];
static const char *lock_path;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *player(void *arg)
{
	int mine = (int)(long)arg;

	pthread_mutex_lock(&table_lock);
	for (int i = 0; i < rounds; i++) {
		while (turn != mine)
			pthread_cond_wait(&turn_cond[mine], &table_lock);
		turn = !mine;
		pthread_cond_signal(&turn_cond[!mine]);
		if (rounds > 1000 && i % 100 == 99)
			usleep(1000);
	}
	pthread_mutex_unlock(&table_lock);
	return NULL;
}

static void *owner(void *arg)
{
	for (int i = 0; i < 25; i++) {
		pthread_mutex_lock(&hot_lock);
		usleep(1000);
		pthread_mutex_unlock(&hot_lock);
	}
	return arg;
}

static void *locker(void *arg)
{
	int fd = open(lock_path, O_RDWR);

	if (fd < 0 || flock(fd, LOCK_EX))
		die(lock_path);
	close(fd);
	return arg;
}

static void *reader(void *arg)
{
	char byte;

	if (read(pipe_ends[0], &byte, 1) != 1)
		die("read");
	return arg;
}

static void *sleeper(void *arg)
{
	usleep(100 * 1000);
	return arg;
}

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void *computer(void *arg)
{
	long long end = now_ns() + 60 * 1000 * 1000;
	volatile unsigned n = 0;

	while (now_ns() < end)
		for (int i = 0; i < 1000; i++)
			n += 1;
	return arg;
}

static pthread_t start(const char *name, void *(*fn)(void *), void *arg)
{
	pthread_t t;
	int err = pthread_create(&t, NULL, fn, arg);

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
	pthread_t threads[64];
	int n = 0;

	if (argc != 4)
		return 2;
	rounds = atoi(argv[1]);
	lock_path = argv[3];
	int held = open(lock_path, O_RDWR | O_CREAT, 0600);

	if (held < 0 || flock(held, LOCK_EX) || pipe(pipe_ends))
		die("traced");
	threads[n++] = start("locker", locker, NULL);
	threads[n++] = start("sleeper", sleeper, NULL);
	threads[n++] = start("reader", reader, NULL);
	threads[n++] = start("player0", player, (void *)0);
	threads[n++] = start("player1", player, (void *)1);
	for (int i = 0; i < 4; i++)
		threads[n++] = start("owner", owner, NULL);
	usleep(100 * 1000);
	if (write(pipe_ends[1], "x", 1) != 1)
		die("write");
	for (int i = 0; i < atoi(argv[2]) && n < 64; i++)
		threads[n++] = start(NULL, computer, NULL);
	usleep(200 * 1000);
	flock(held, LOCK_UN);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 3;
}
