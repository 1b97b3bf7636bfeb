#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# While threads compute and others wait, the monitor has short slices, and nobody else; so it is in a forked child;
# not with UPCALL_DISABLE=slice.
. "$(dirname "$0")/lib.sh"

"$UPCALL" features | grep -q '^slice  *yes' || skip 'no slices to ask for'
grep -q '^se.slice ' /proc/self/sched 2>/dev/null || skip '/proc tells of no slices'
cat >"$dir/busy.c" <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int over;

static void *computes(void *arg)
{
	while (!over)
		;
	return arg;
}

static void busy(int ms)
{
	pthread_t t[6];

	over = 0;
	for (int i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, computes, NULL);
	for (int i = 0; i < ms; i++)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	over = 1;
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
}

/* In a process, or in one and then at once in a child of it. */
int main(int argc, char **argv)
{
	(void)argv;
	busy(500);
	if (argc == 1)
		return 0;
	if (fork() == 0) {
		busy(500);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
C
cc -pthread "$dir/busy.c" -o "$dir/busy" 2>"$dir/err" || skip 'no C compiler'

# short_ones FEATURE [fork]: the most kernel threads with slices of 0.1 ms that the program, or its child, has at a time.
# One that never slept is new, perhaps, and has its maker's slice until it runs.
short_ones() {
	local pid of n most=0
	env UPCALL_DISABLE="$1" "$UPCALL" run "$dir/busy" $2 &
	pid=$!
	while sleep 0.05 && kill -0 $pid 2>/dev/null; do
		of=$pid
		[ -z "$2" ] || of=$(pgrep -P $pid) || continue
		n=$(cat /proc/$of/task/*/sched 2>/dev/null | awk '
			$1 == "nr_voluntary_switches" { slept = $3 }
			$1 == "se.slice" { n += $3 == 100000 && slept }
			END { print n + 0 }')
		[ "$n" -le $most ] || most=$n
	done
	wait $pid || fail 'the program failed'
	echo "$most"
}

n=$(short_ones '')
[ "$n" = 1 ] || fail "$n kernel threads have short slices, not the monitor alone"
n=$(short_ones '' fork)
[ "$n" = 1 ] || fail "$n kernel threads have short slices in a child, not the monitor alone"
n=$(short_ones slice)
[ "$n" = 0 ] || fail "$n kernel threads have short slices in spite of UPCALL_DISABLE"
exit 0
