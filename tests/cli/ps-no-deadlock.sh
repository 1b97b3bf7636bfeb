#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A circle of waits is told of; one in which somebody waits for a limited time only is none.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
[ -x "$(dirname "$UPCALL")/upcall-look" ] || skip 'built without libdw'

cat >"$dir/circle.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *locks(void *arg)
{
	pthread_mutex_lock(&mutex);
	return arg;
}

int main(int argc, char **argv)
{
	struct timespec until;
	pthread_t t;

	(void)argv;
	pthread_mutex_lock(&mutex);
	pthread_create(&t, NULL, locks, NULL);
	puts("ready");
	fflush(stdout);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1000;
	return argc > 1 ? pthread_timedjoin_np(t, NULL, &until) : pthread_join(t, NULL);
}
C
"$compiler" -O2 -o "$dir/circle" "$dir/circle.c" -pthread || fail 'cannot compile'

circle() {	# [limited]
	: >"$dir/ready"
	"$UPCALL" run "$dir/circle" "$@" >"$dir/ready" 2>/dev/null &
	pid=$!
	trap 'kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$dir"' EXIT
	until_ready "$dir/ready"
	for _ in $(seq 100); do
		expect 0 "$UPCALL" ps $pid
		grep -q 'mutex .*held by 1 ' "$dir/out" && grep -q ' join ' "$dir/out" && break
		sleep 0.1
	done
	says ' join '
	kill -9 $pid
	wait $pid 2>/dev/null
}

circle
says deadlock:
circle limited
! grep -q deadlock: "$dir/out" || fail 'a wait with a limit is in it'
exit 0
