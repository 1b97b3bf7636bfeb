// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread that is blocked in the kernel, not by a call that is known to block, for two thirds of its time, beside one
 * that computes.  Says "ready" after that, and goes on until its standard input ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 6, BLOCK_MS = 100 };

static atomic_bool stop;

static void *computer(void *arg)
{
	pthread_setname_np(pthread_self(), "computer");
	while (!stop)
		;
	return arg;
}

static void *blocker(void *arg)
{
	struct timespec t = { .tv_nsec = BLOCK_MS * 1000000 };

	pthread_setname_np(pthread_self(), "blocker");
	for (int i = 0; i < BLOCKS; i++)
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
	stop = true;
	pause();
	return arg;
}

int main(void)
{
	pthread_t c, b;
	char byte;

	pthread_create(&c, NULL, computer, NULL);
	pthread_create(&b, NULL, blocker, NULL);
	pthread_join(c, NULL);
	puts("ready");
	fflush(stdout);
	return read(0, &byte, 1) < 0;
}
