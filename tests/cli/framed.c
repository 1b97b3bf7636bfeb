// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread that is blocked in a function which needs its frame pointer, as the room it takes is known at run time only, by
 * a call that nobody wraps.  Says "ready" before that, and goes on until its standard input ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static long framed(size_t bytes)
{
	struct timespec day = { .tv_sec = 86400 };
	char room[bytes];
	long ret;

	memset(room, 'x', bytes);
	puts("ready");
	fflush(stdout);
#ifdef __x86_64__
	register long rest __asm__("r10") = 0;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_nanosleep), "D"(&day), "S"(0L), "d"(0L), "r"(rest), "m"(room)
			 : "rcx", "r11", "memory");
#else
	ret = syscall(SYS_nanosleep, &day, NULL);
#endif
	return ret + room[bytes - 1];
}

__attribute__((noinline)) static long calls_it(size_t bytes)
{
	return framed(bytes) + 1;
}

static void *body(void *arg)
{
	return (void *)calls_it((size_t)arg);
}

int main(void)
{
	pthread_t t;
	char byte;

	if (pthread_create(&t, NULL, body, (void *)1000L))
		return 1;
	return read(0, &byte, 1) < 0;
}
