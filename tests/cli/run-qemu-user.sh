#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program with qemu-user's function for system calls signals its threads past libc, by the numbers that gettid gives.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
[ "$(uname -m)" = x86_64 ] || skip 'its instruction is for x86-64'

cat >"$dir/emulates.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static sem_t is_known, is_over;
static int tid;
static volatile int handled;

long safe_syscall_base(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return ret;
}

static void handles(int sig)
{
	(void)sig;
	handled++;
}

static void *guest(void *arg)
{
	tid = (int)syscall(SYS_gettid);
	sem_post(&is_known);
	while (sem_wait(&is_over))
		;
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int sent = 0;

	signal(SIGUSR1, handles);
	for (int i = 0; i < 2; i++) {
		pthread_create(&t[i], NULL, guest, NULL);
		sem_wait(&is_known);
		sent += safe_syscall_base(SYS_tgkill, getpid(), tid, SIGUSR1) == 0;
	}
	for (int i = 0; i < 2000 && handled < 2; i++)
		usleep(1000);
	for (int i = 0; i < 2; i++)
		sem_post(&is_over);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("sent %d, handled %d\n", sent, handled);
	return 0;
}
C
"$compiler" -O1 -rdynamic -o "$dir/emulates" "$dir/emulates.c" -lpthread || fail 'cannot compile'
for how in env "$UPCALL run" "$UPCALL run --vprocs=1"; do
	expect 0 $how "$dir/emulates"
	grep -qx 'sent 2, handled 2' "$dir/out" || fail "not all was sent and handled with $how"
done
