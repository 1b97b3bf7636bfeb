// SPDX-License-Identifier: BSD-2-Clause
/*
 * crowd THREADS ROUNDS: so many threads block in the kernel at a time, unseen by any library; when all are about to, one
 * ends that.  If the kernel thread of any one is not known to have blocked, it does not get so far on one processor.
 * Without ROUNDS they block for good.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint word;	/* the round; a futex */
static atomic_int begun, back;
static int nthreads, rounds;

/* A system call as libc's own inlined ones are. */
static long raw_futex(int operation, unsigned value)
{
	register long r10 __asm__("r10") = 0;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret)
			 : "a"((long)SYS_futex), "D"(&word), "S"((long)operation), "d"((long)value), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

static void *member(void *arg)
{
	for (unsigned i = 0; !rounds || i < (unsigned)rounds; i++) {
		begun++;
		while (word == i)
			raw_futex(FUTEX_WAIT_PRIVATE, i);
		back++;
		while (rounds && back < (int)(i + 1) * nthreads)	/* none is a round ahead */
			usleep(1000);
	}
	return arg;
}

static void wait_until(const atomic_int *count, int n)
{
	while (*count < n)
		usleep(1000);
}

int main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t *t;

	if (argc < 2)
		return 2;
	nthreads = atoi(argv[1]);
	rounds = argc > 2 ? atoi(argv[2]) : 0;
	t = calloc((size_t)nthreads, sizeof(*t));
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < nthreads; i++)
		if (pthread_create(&t[i], &small, member, NULL)) {
			puts("skip: so many threads are not to be had here");
			return 77;
		}
	for (int i = 0; i < rounds || !rounds; i++) {
		wait_until(&begun, (i + 1) * nthreads);
		usleep(100000);
		if (!rounds) {
			puts("held");
			fflush(stdout);
			pause();
		}
		word++;
		raw_futex(FUTEX_WAKE_PRIVATE, (unsigned)nthreads);
		wait_until(&back, (i + 1) * nthreads);
	}
	for (int i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
