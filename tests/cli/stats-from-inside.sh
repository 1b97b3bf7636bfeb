#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# upcall_stats and upcall_thread_info: a program finds them under upcall run, does without otherwise,
# and hears of its threads what it knows of them.
. "$(dirname "$0")/lib.sh"
include=$(cd "$(dirname "$0")/../../include" && pwd)
command -v cc >/dev/null || skip 'no C compiler'

cat >"$dir/inside.c" <<'C'
#define _GNU_SOURCE
#include <upcall/stats.h>

#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static int failures;

#define CHECK(cond) do { if (!(cond)) { printf("line %d: %s\n", __LINE__, #cond); failures++; } } while (0)

static struct upcall_thread_info about(pthread_t t)
{
	struct upcall_thread_info info;

	memset(&info, 0xee, sizeof(info));
	info.size = sizeof(info);
	CHECK(upcall_thread_info(t, &info) == 0);
	CHECK(info.size == sizeof(info));
	return info;
}

static void *nothing(void *arg) { return arg; }
static void *wait_mutex(void *arg) { pthread_mutex_lock(&held); pthread_mutex_unlock(&held); return arg; }
static void *wait_sem(void *arg)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += 2;
	sem_timedwait(&never, &ts);
	CHECK((char *)&ts >= (char *)about(0).stack && (char *)&ts < (char *)about(0).stack + about(0).stack_bytes);
	return arg;
}

/* Until it has come to its wait. */
static struct upcall_thread_info settled(pthread_t t)
{
	struct upcall_thread_info info = about(t);

	for (int i = 0; i < 2000 && info.state != UPCALL_STATE_PARKED; i++) {
		usleep(1000);
		info = about(t);
	}
	return info;
}

int main(void)
{
	pthread_t t[2];
	struct upcall_stats s = { .size = sizeof(s) }, before;

	if (!upcall_stats) {
		puts("without");
		return !upcall_thread_info ? 0 : 1;
	}
	CHECK(upcall_stats(&s) == 0 && s.vprocs == 0 && s.switches == 0);
	pthread_mutex_lock(&held);
	sem_init(&never, 0, 0);
	pthread_create(&t[0], NULL, wait_mutex, NULL);
	pthread_setname_np(t[0], "locked-out");
	pthread_create(&t[1], NULL, wait_sem, NULL);
	struct upcall_thread_info i = settled(t[0]);

	CHECK(i.state == UPCALL_STATE_PARKED && i.wait == UPCALL_WAIT_MUTEX && i.object == &held);
	CHECK(i.deadline_ns == UINT64_MAX && i.id == 2 && strcmp(i.name, "locked-out") == 0);
	CHECK(i.vproc >= 0 && i.stack_bytes >= 16384);
	i = settled(t[1]);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	long long left_ms = ((long long)i.deadline_ns - now.tv_sec * 1000000000ll - now.tv_nsec) / 1000000;

	CHECK(i.state == UPCALL_STATE_PARKED && i.wait == UPCALL_WAIT_SEM && i.object == &never);
	CHECK(left_ms > 0 && left_ms <= 2000);
	i = about(pthread_self());
	CHECK(i.state == UPCALL_STATE_RUNNING && i.id == 1 && i.wait == UPCALL_WAIT_NOTHING && !i.object);
	CHECK(about(0).id == 1);

	upcall_stats(&s);
	before = s;
	CHECK(s.vprocs >= 1 && s.threads_live == 3 && s.threads == 3 && s.parks >= 2 && s.activations >= 1 && s.source[0]);
	for (int k = 0; k < 10; k++) {
		pthread_t more;

		pthread_create(&more, NULL, nothing, NULL);
		pthread_join(more, NULL);
	}
	upcall_stats(&s);
	CHECK(s.switches >= before.switches + 10 && s.threads == 13 && s.threads_live == 3);

	/* Of another size: shorter, longer, nonsense. */
	struct { struct upcall_stats s; char more[64]; } longer;

	memset(&longer, 0xee, sizeof(longer));
	longer.s.size = sizeof(longer);
	CHECK(upcall_stats(&longer.s) == 0 && longer.s.threads == 13 && longer.more[0] == 0 && longer.more[63] == 0);
	memset(&longer, 0xee, sizeof(longer));
	longer.s.size = offsetof(struct upcall_stats, threads);
	CHECK(upcall_stats(&longer.s) == 0 && longer.s.vprocs >= 1 && longer.s.threads == 0xeeeeeeeeeeeeeeee);
	s.size = 3;
	CHECK(upcall_stats(&s) == -EINVAL);
	i.size = 0;
	CHECK(upcall_thread_info(0, &i) == -EINVAL);
	pthread_mutex_unlock(&held);
	pthread_join(t[0], NULL);
	sem_post(&never);
	pthread_join(t[1], NULL);
	return failures != 0;
}
C
cc -O2 -Wall -Wextra -Werror -I"$include" -o "$dir/inside" "$dir/inside.c" -pthread 2>"$dir/err" >"$dir/out" ||
	fail 'cannot compile'
expect 0 "$dir/inside"
says without
expect 0 "$UPCALL" run -- "$dir/inside"
expect 0 env UPCALL_VPROCS=1 "$UPCALL" run -- "$dir/inside"
if command -v c++ >/dev/null; then
	echo '#include <upcall/stats.h>
	int main() { return upcall_stats ? 1 : 0; }' >"$dir/x.cc"
	c++ -std=c++17 -Wall -Wextra -pedantic -Werror -I"$include" -o "$dir/x" "$dir/x.cc" 2>"$dir/err" >"$dir/out" ||
		fail 'the header is no C++'
fi
exit 0
