#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The cpuset of a running process gets another CPU: the program is told of it, as it is without us.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
[ "$(nproc)" -ge 2 ] || skip 'one CPU only'
top=/sys/fs/cgroup/cpuset
set=$top/upcall-test-$$
[ -e "$top/cpuset.mems" ] || skip 'no cpusets of version 1'
mkdir "$set" 2>/dev/null || skip 'no cpuset of our own'
trap 'rmdir "$set"; rm -rf "$dir"' EXIT

cat >"$dir/cpus.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
static int count(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);
}
static volatile int is_over;
static void *body(void *arg)
{
	while (!is_over)
		usleep(1000);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	if (argc != 2 || count() != 1 || pthread_create(&t, 0, body, 0))
		return 1;
	usleep(50000);
	if (system(argv[1]))
		return 2;
	for (int i = 0; i < 100 && count() < 2; i++)
		usleep(100000);
	is_over = 1;
	return pthread_join(t, 0) || count() < 2 ? 3 : 0;
}
C
"$compiler" -O1 -o "$dir/cpus" "$dir/cpus.c" -pthread || fail 'cannot compile'

cpus=$(taskset -cp $$ | sed 's/.*: *//')
cat "$top/cpuset.mems" >"$set/cpuset.mems"
for command in '' "$UPCALL run"; do
	echo "$cpus" | sed 's/[-,].*//' >"$set/cpuset.cpus" || skip 'the cpuset takes no CPU'
	expect 0 sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$set" $command "$dir/cpus" \
		"echo $cpus >$set/cpuset.cpus"
done
exit 0
