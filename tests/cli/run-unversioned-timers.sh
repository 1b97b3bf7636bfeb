#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A library whose references to timer functions have no versions, as gperftools' profiler, gets all of them of one age: each
# thread's timer is armed, and signals that thread.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'

cat >"$dir/lib.c" <<'C'
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int arm(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	struct itimerspec often = { { 0, 5000000 }, { 0, 5000000 } };
	timer_t timer = 0;

	e._sigev_un._tid = (int)syscall(SYS_gettid);
	return timer_create(CLOCK_MONOTONIC, &e, &timer) || timer_settime(timer, 0, &often, 0);
}
C
cat >"$dir/main.c" <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

extern int arm(void);
static _Thread_local volatile int ticks;

static void tick(int sig)
{
	(void)sig;
	ticks++;
}

static void *body(void *arg)
{
	if (arm())
		return NULL;
	for (int i = 0; i < 3000 && ticks < 3; i++)
		usleep(1000);
	return ticks < 3 ? NULL : arg;
}

int main(void)
{
	pthread_t t[3];
	int bad = 0;

	/* glibc's old functions take the number 0, that of a process's first timer, for none: two threads could get one. */
	struct sigevent none = { .sigev_notify = SIGEV_NONE };
	timer_t first;

	if (timer_create(CLOCK_MONOTONIC, &none, &first))
		return 4;
	signal(SIGPROF, tick);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, body, &bad);
	for (int i = 0; i < 3; i++) {
		void *value;

		pthread_join(t[i], &value);
		bad += !value;
	}
	printf("%d of 3 threads had no ticks\n", bad);
	return bad;
}
C
# Without the C library at hand the linker gives the references no versions.
"$compiler" -O1 -shared -fPIC -nostdlib "$dir/lib.c" -o "$dir/libplain.so" || fail 'the library does not compile'
"$compiler" -O1 "$dir/main.c" "$dir/libplain.so" -pthread -o "$dir/main" || fail 'the program does not compile'
export LD_LIBRARY_PATH="$dir"
expect 0 "$dir/main"
expect 0 "$UPCALL" run "$dir/main"
expect 0 env UPCALL_DISABLE=perf "$UPCALL" run --vprocs=1 "$dir/main"
