#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A thousand threads that sleep, in nanosleep, clock_nanosleep, a condition's timed wait and others, hold no kernel
# threads.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'

cat >"$dir/sleepers.c" <<'C'
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 1000, MS = 200 };

static atomic_int begun, wrong;
static atomic_bool is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;

static struct timespec after_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += MS * 1000000L;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static int by_nanosleep(void)
{
	struct timespec t = { 0, MS * 1000000L };

	return nanosleep(&t, NULL);
}

static int by_clock_nanosleep(void)
{
	struct timespec t = after_ms(CLOCK_MONOTONIC);

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int by_clock_nanosleep_realtime(void)
{
	struct timespec t = after_ms(CLOCK_REALTIME);

	return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
}

static int by_cond_timedwait(void)
{
	struct timespec t = after_ms(CLOCK_REALTIME);

	pthread_mutex_lock(&lock);
	int err = pthread_cond_timedwait(&cond, &lock, &t);

	pthread_mutex_unlock(&lock);
	return err != ETIMEDOUT && err != 0;
}

static int by_sem_timedwait(void)
{
	struct timespec t = after_ms(CLOCK_REALTIME);

	return sem_timedwait(&sem, &t) != -1 || errno != ETIMEDOUT;
}

static int by_usleep(void)
{
	return usleep(MS * 1000);
}

static int by_poll(void)
{
	return poll(NULL, 0, MS);
}

static int by_select(void)
{
	struct timeval t = { 0, MS * 1000 };

	return select(0, NULL, NULL, NULL, &t);
}

static int (*const ways[])(void) = {
	by_nanosleep, by_clock_nanosleep, by_cond_timedwait, by_clock_nanosleep_realtime, by_sem_timedwait, by_usleep,
	by_poll, by_select,
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

/* Until all have begun, and once more: then all sleep. */
static void *sleeper(void *arg)
{
	begun++;
	while (!is_over)
		wrong += ((int (*)(void))arg)() != 0;
	return arg;
}

static int kernel_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = -2;

	if (!d)
		return -1;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	static pthread_t t[THREADS];
	int way = argc > 1 ? atoi(argv[1]) : WAYS, begin = 0;

	if (way > WAYS)
		return 1;
	sem_init(&sem, 0, 0);
	for (int i = 0; i < THREADS; i++, begin++)
		if (pthread_create(&t[i], NULL, sleeper, (void *)ways[way < WAYS ? way : i % WAYS]))
			return 1;
	while (begun < begin || usleep(2 * MS * 1000))
		usleep(1000);
	printf("kernel threads %d\n", kernel_threads());
	is_over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return wrong != 0;
}
C
"$compiler" -O2 -pthread "$dir/sleepers.c" -o "$dir/sleepers" || fail 'cannot compile'

peak() {
	awk '$1 == "activations_peak" { print $2 }' "$dir/err"
}

at_once() {
	sed -n 's/^kernel threads //p' "$dir/out"
}

# Few, whichever way they sleep; and without perf, where the monitor tells who blocks.
sleep_well() {	# COMMAND...
	expect 0 "$@"
	[ "$(peak)" -lt 20 ] || fail "$(peak) kernel threads: $*"
	[ "$(at_once)" -lt 20 ] || fail "$(at_once) kernel threads at once: $*"
	[ "$(awk '$1 == "threads" { print $2 }' "$dir/err")" -eq 1001 ] || fail "not a thousand threads: $*"
}

"$dir/sleepers" >"$dir/out" 2>"$dir/err"
[ $? -eq 0 ] || skip 'this machine does not allow a thousand threads'
[ "$(at_once)" -gt 1000 ] || fail 'on glibc they hold none: this test proves nothing'
for way in 0 1 2 8; do
	sleep_well env UPCALL_DISABLE=bind "$UPCALL" run --stats --vprocs=2 "$dir/sleepers" $way
done
sleep_well "$UPCALL" run --stats --vprocs=2 "$dir/sleepers"
sleep_well env UPCALL_DISABLE=perf "$UPCALL" run --stats --vprocs=2 "$dir/sleepers"
sleep_well "$UPCALL" run --stats --vprocs=1 "$dir/sleepers"
exit 0
