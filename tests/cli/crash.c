// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: crash HOW [WHERE]: one of twenty threads ends the process.
 *   HOW    abort, assert, fault, raise; or quit: main sends SIGQUIT to it
 *   WHERE  it is when it is sent that: computing, cond, mutex, sem, join, sleep, read, poll, flock, sigwait
 * The frames of the one that ends it go through victim(); those of the others never do.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { OTHERS = 20 };

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t none;
static int nothing[2], locked;
static pthread_t main_thread;
static atomic_int begun;
static int *volatile nowhere;
static const char *how, *where;

static void on_usr1(int sig)
{
	(void)sig;
}

static void wait_at(const char *place)
{
	struct pollfd p = { .fd = nothing[0], .events = POLLIN };
	sigset_t usr1;
	char c;
	int sig;

	if (!strcmp(place, "computing"))
		for (;;)
			__asm__ volatile("");
	if (!strcmp(place, "mutex"))
		pthread_mutex_lock(&held);
	if (!strcmp(place, "sem"))
		sem_wait(&none);
	if (!strcmp(place, "join"))
		pthread_join(main_thread, NULL);
	if (!strcmp(place, "sleep"))
		sleep(1000);
	if (!strcmp(place, "read"))
		(void)!read(nothing[0], &c, 1);
	if (!strcmp(place, "poll"))
		poll(&p, 1, -1);
	if (!strcmp(place, "flock"))
		flock(locked, LOCK_EX);
	if (!strcmp(place, "sigwait")) {
		sigemptyset(&usr1);
		sigaddset(&usr1, SIGUSR1);
		sigwait(&usr1, &sig);
	}
	pthread_mutex_lock(&m);
	for (;;)
		pthread_cond_wait(&never, &m);
}

static void *other(void *arg)
{
	static const char *const places[] = { "cond", "mutex", "sem", "sleep", "read", "computing" };

	begun++;
	wait_at(places[(size_t)arg % (sizeof(places) / sizeof(places[0]))]);
	return NULL;
}

__attribute__((noinline)) static void victim(void)
{
	begun++;
	if (!strcmp(how, "quit"))
		wait_at(where);
	while (begun <= OTHERS)
		sched_yield();
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "assert"))
		assert(nowhere != NULL);
	if (!strcmp(how, "fault"))
		*nowhere = 1;
	if (!strcmp(how, "raise"))
		raise(SIGABRT);
	__asm__ volatile("");
}

static void *runs_victim(void *arg)
{
	victim();
	return arg;
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/upcall-crash-XXXXXX";
	pthread_t t, chosen = 0;
	int fd = mkstemp(path);

	if (argc < 2 || fd < 0 || pipe(nothing))
		return 2;
	how = argv[1];
	where = argc > 2 ? argv[2] : "cond";
	locked = open(path, O_RDWR);
	flock(fd, LOCK_EX);
	unlink(path);
	signal(SIGUSR1, on_usr1);
	main_thread = pthread_self();
	sem_init(&none, 0, 0);
	pthread_mutex_lock(&held);
	for (size_t i = 0; i <= OTHERS; i++) {
		pthread_create(&t, NULL, i == OTHERS / 2 ? runs_victim : other, (void *)i);
		if (i == OTHERS / 2)
			chosen = t;
	}
	while (begun <= OTHERS)
		sched_yield();
	if (!strcmp(how, "quit")) {
		usleep(100000);
		pthread_kill(chosen, SIGQUIT);
	}
	pause();
	return 0;
}
