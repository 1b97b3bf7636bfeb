// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: one-to-one [system]
 * Says of threads that wait, the first half of them for each other, the others for a descriptor, how many are in
 * /proc/self/task by their gettid numbers, and whether there are as many kernel threads as threads.  With an argument
 * the even ones have PTHREAD_SCOPE_SYSTEM, and it says so of these and of the others: "bound N of M, others N of M".
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 40 };

static atomic_int tid[THREADS], begun;
static sem_t never;
static int fds[2];

static void *waits(void *arg)
{
	int i = (int)(long)arg;
	char c;

	tid[i] = (int)syscall(SYS_gettid);
	begun++;
	if (i < THREADS / 2)
		sem_wait(&never);
	else if (read(fds[0], &c, 1) != 1)
		abort();
	return NULL;
}

static int is_task(int of)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d", of);
	return access(path, F_OK) == 0;
}

static int count_tasks(void)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	return n;
}

int main(int argc, char **argv)
{
	int found[2] = { 0 }, of[2] = { 0 };
	pthread_attr_t attr;
	pthread_t t;

	(void)argv;
	sem_init(&never, 0, 0);
	pthread_attr_init(&attr);
	if (pipe(fds) || pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM))
		return 1;
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&t, argc > 1 && i % 2 == 0 ? &attr : NULL, waits, (void *)i))
			return 1;
	while (begun < THREADS)
		usleep(1000);
	for (int i = 0; i < THREADS; i++) {
		found[i % 2] += is_task(tid[i]);
		of[i % 2]++;
	}
	printf("bound %d of %d, others %d of %d\n", found[0], of[0], found[1], of[1]);
	printf("%s\n", count_tasks() > THREADS ? "one each" : "fewer");
	return 0;
}
