// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process that starts no thread says at each step how many kernel threads it has, which signals it catches and which
 * descriptors it has, as the kernel tells.
 *
 * usage: one-thread alone		works, waits and ends by itself
 *	  one-thread make FILE		process-shared objects for these two, at the same time:
 *	  one-thread wait FILE		starts no thread, and waits for what threads of the other one do
 *	  one-thread threads FILE
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 300 };

static struct shared {
	pthread_mutex_t lock;
	pthread_cond_t turned;
	sem_t asked, answered;
	int count, turn;
} *shared;

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	_exit(1);
}

static void tell_entries(const char *path, const char *what)
{
	DIR *d = opendir(path);
	int n = 0, at[1024] = { 0 };

	must(d != NULL, path);
	for (struct dirent *e; (e = readdir(d)); )
		if (e->d_name[0] != '.' && strcmp(what, "tasks") == 0)
			n++;
		else if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d) && atoi(e->d_name) < 1024)
			at[atoi(e->d_name)] = 1;
	closedir(d);
	printf(" %s", what);
	if (n)
		printf(" %d,", n);
	for (int i = 0; i < 1024; i++)
		if (at[i])
			printf(" %d", i);
}

static void tell(const char *when)
{
	char line[256];
	FILE *f;

	printf("%s:", when);
	tell_entries("/proc/self/task", "tasks");
	f = fopen("/proc/self/status", "re");
	must(f != NULL, "/proc/self/status");
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "SigCgt:", 7) || !strncmp(line, "SigBlk:", 7))
			printf(" %.6s %.16s,", line, line + 8);
	fclose(f);
	tell_entries("/proc/self/fd", "descriptors");
	puts("");
	fflush(stdout);
}

static void tell_at_exit(void)
{
	tell("exit");
}

static volatile sig_atomic_t caught;

static void handler(int sig)
{
	caught = sig;
}

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 2000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void wait_in_vain(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec end = soon(), span = { 0, 2000000 };
	sem_t sem;
	int fds[2];

	pthread_mutex_lock(&lock);
	pthread_cond_timedwait(&cond, &lock, &end);
	pthread_mutex_unlock(&lock);
	must(sem_init(&sem, 0, 0) == 0, "sem_init");
	sem_timedwait(&sem, &end);
	must(pipe(fds) == 0, "pipe");
	struct pollfd p = { fds[0], POLLIN, 0 };

	poll(&p, 1, 2);
	must(write(fds[1], "x", 1) == 1 && read(fds[0], &(char){ 0 }, 1) == 1, "pipe");
	close(fds[0]);
	close(fds[1]);
	nanosleep(&span, NULL);
	sched_yield();
}

static int alone(void)
{
	struct sigaction act = { .sa_handler = handler };
	int status;

	tell("begin");
	atexit(tell_at_exit);
	free(malloc(1 << 24));
	wait_in_vain();
	tell("waited");
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	must(caught == SIGUSR1, "raise");
	tell("a handler");
	signal(SIGUSR1, SIG_DFL);
	pid_t child = fork();

	if (child == 0) {
		tell("child");
		_exit(0);
	}
	must(waitpid(child, &status, 0) == child && status == 0, "waitpid");
	must(system("exit 3") == 3 << 8, "system");
	tell("children");
	return 0;
}

static void make(void)
{
	pthread_mutexattr_t m;
	pthread_condattr_t c;

	pthread_mutexattr_init(&m);
	pthread_condattr_init(&c);
	must(pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED) == 0, "setpshared");
	must(pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED) == 0, "setpshared");
	must(pthread_mutex_init(&shared->lock, &m) == 0 && pthread_cond_init(&shared->turned, &c) == 0, "init");
	must(sem_init(&shared->asked, 1, 0) == 0 && sem_init(&shared->answered, 1, 0) == 0, "sem_init");
}

static void add_one(void)
{
	must(pthread_mutex_lock(&shared->lock) == 0, "lock");
	shared->count++;
	must(pthread_mutex_unlock(&shared->lock) == 0, "unlock");
}

static void take_turn(int mine)
{
	must(pthread_mutex_lock(&shared->lock) == 0, "lock");
	while (shared->turn % 2 != mine)
		must(pthread_cond_wait(&shared->turned, &shared->lock) == 0, "wait");
	shared->turn++;
	must(pthread_cond_broadcast(&shared->turned) == 0, "broadcast");
	must(pthread_mutex_unlock(&shared->lock) == 0, "unlock");
}

static void wait_for_threads(void)
{
	tell("begin");
	for (int i = 0; i < ROUNDS; i++) {
		must(sem_wait(&shared->asked) == 0, "sem_wait");
		add_one();
		must(sem_post(&shared->answered) == 0, "sem_post");
		take_turn(1);
		if (i == ROUNDS / 2)
			tell("amid");
	}
	tell("end");
}

static void *add_many(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		add_one();
		sched_yield();
	}
	return arg;
}

static void *ask(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		must(sem_post(&shared->asked) == 0, "sem_post");
		must(sem_wait(&shared->answered) == 0, "sem_wait");
		take_turn(0);
	}
	return arg;
}

static void threads(void)
{
	pthread_t t[THREADS + 1];

	for (int i = 0; i <= THREADS; i++)
		must(pthread_create(&t[i], NULL, i ? add_many : ask, NULL) == 0, "pthread_create");
	for (int i = 0; i <= THREADS; i++)
		pthread_join(t[i], NULL);
	printf("count %d\n", shared->count);
}

int main(int argc, char **argv)
{
	alarm(50);
	if (argc == 2 && !strcmp(argv[1], "alone"))
		return alone();
	if (argc != 3)
		return 2;
	int fd = open(argv[2], O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	must(fd >= 0 && ftruncate(fd, sizeof(*shared)) == 0, argv[2]);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(shared != MAP_FAILED, "mmap");
	close(fd);
	if (!strcmp(argv[1], "make"))
		make();
	else if (!strcmp(argv[1], "wait"))
		wait_for_threads();
	else
		threads();
	return 0;
}
