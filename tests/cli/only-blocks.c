// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two threads that do nothing but wait for each other's lock on a file, two that do the same and sleep in between, so
 * that their timers want the processor of one that blocks.  Goes on until its standard input ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *dir;

/* arg: its name, and the file's */
static void *locker(void *arg)
{
	const struct timespec hold = { .tv_nsec = 50000 };
	const char *name = arg;
	char path[4096];
	int fd;

	pthread_setname_np(pthread_self(), name);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		perror(path);
	for (;;) {
		if (flock(fd, LOCK_EX))
			perror("flock");
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &hold, NULL);	/* no wait that the library knows */
		flock(fd, LOCK_UN);
		if (name[0] == 's')
			usleep(1);
	}
}

int main(int argc, char **argv)
{
	pthread_t t[4];
	char byte;

	dir = argc > 1 ? argv[1] : ".";
	for (int i = 0; i < 2; i++) {
		pthread_create(&t[i], NULL, locker, "blocks");
		pthread_create(&t[2 + i], NULL, locker, "sleeps");
	}
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	_exit(0);
}
