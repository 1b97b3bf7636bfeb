#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The cpuset of a running process gets another CPU: the program is told of it, as it is without us, and so are a thread
# that has a kernel thread of its own, for its nice value, and a child that was there before.
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
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static int count(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);
}
static int wait_for_two(void)
{
	for (int i = 0; i < 100 && count() < 2; i++)
		usleep(100000);
	return count() >= 2;
}
static void *body(void *arg)
{
	usleep(300000);
	setpriority(PRIO_PROCESS, 0, 1);
	return wait_for_two() ? arg : NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;
	void *saw;
	int status;
	if (argc != 2 || count() != 1 || pthread_create(&t, 0, body, &t))
		return 1;
	usleep(600000);
	pid_t child = fork();
	if (child == 0)
		_exit(wait_for_two() ? 0 : 4);
	usleep(100000);
	if (child < 0 || system(argv[1]))
		return 2;
	if (!wait_for_two())
		return 3;
	if (waitpid(child, &status, 0) != child || status)
		return 4;
	return pthread_join(t, &saw) || !saw ? 5 : 0;
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
