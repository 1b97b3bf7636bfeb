#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A process in a PID namespace of its own, as in a container, whose kernel threads have other numbers there: ps, stack and
# top find them here.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
command -v python3 >/dev/null || skip 'no python3'
[ -x "$(dirname "$UPCALL")/upcall-look" ] || skip 'built without libdw'
[ "$(id -u)" -eq 0 ] || skip 'takes root'
unshare -pf --mount-proc true 2>/dev/null || skip 'namespaces are refused'

cat >"$dir/contained.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/file.h>
#include <fcntl.h>
#include <unistd.h>
static const char *path;
static void *blocks(void *arg) { flock(open(path, O_RDWR | O_CREAT, 0600), LOCK_EX); return arg; }
static void *is_bound(void *arg) { unshare(CLONE_FS); pause(); return arg; }
static void *parks(void *arg) { static pthread_mutex_t m; pthread_mutex_lock(&m); pthread_mutex_lock(&m); return arg; }
int main(int argc, char **argv)
{
	pthread_t t[3];
	path = argv[1];
	flock(open(path, O_RDWR | O_CREAT, 0600), LOCK_EX);
	pthread_create(&t[0], 0, blocks, 0);
	pthread_create(&t[1], 0, is_bound, 0);
	pthread_create(&t[2], 0, parks, 0);
	pthread_setname_np(t[0], "blocks");
	pthread_setname_np(t[1], "bound");
	pthread_setname_np(t[2], "parks");
	sleep(1);
	write(1, "ready\n", 6);
	sleep(60 * argc);
}
C
"$compiler" -w -g -o "$dir/contained" "$dir/contained.c" -pthread || fail 'cannot compile'
unshare -pf --kill-child --mount-proc "$UPCALL" run "$dir/contained" "$dir/lock" >"$dir/ready" 2>"$dir/err" &
outer=$!
trap 'kill -9 $outer 2>/dev/null; wait $outer 2>/dev/null; rm -rf "$dir"' EXIT
until_ready "$dir/ready"
pid=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null | tr -d ' ')
[ -n "$pid" ] && grep -q '^NSpid:.*	1$' "/proc/$pid/status" || fail 'no process in a namespace'

expect 0 "$UPCALL" ps --json "$pid"
is_silent
cp "$dir/out" "$dir/ps.json"
expect 0 "$UPCALL" stack --json "$pid"
cp "$dir/out" "$dir/stack.json"
expect 0 "$UPCALL" top --json --count=2 --delay=0.5 "$pid"
cp "$dir/out" "$dir/top.json"
python3 - "$dir" "$pid" <<'PY' || fail 'the JSON'
import json, os, sys
where, pid = sys.argv[1], sys.argv[2]
[process] = json.load(open(where + "/ps.json"))["processes"]
threads = {t["name"]: t for t in process["threads"]}
tasks = {int(t) for t in os.listdir("/proc/%s/task" % pid)}
for name in ("blocks", "bound"):
    assert threads[name]["kernel_tid"] in tasks, (threads[name], tasks)
assert threads["blocks"]["waits_for"]["call"] == "flock", threads["blocks"]
assert threads["bound"]["waits_for"]["call"] == "pause", threads["bound"]
assert threads["bound"]["state"] == "bound" and threads["bound"]["cpu_ns"] is not None
roles = [k["role"] for k in process["kernel_threads"]]
assert "foreign" not in roles and "monitor" in roles, roles
assert {k["tid"] for k in process["kernel_threads"]} <= tasks, process["kernel_threads"]
stacks = json.load(open(where + "/stack.json"))["stacks"]
by_id = {i: s for s in stacks for i in s["threads"]}
for name, function in (("blocks", "blocks"), ("bound", "is_bound"), ("parks", "parks")):
    s = by_id[threads[name]["id"]]
    assert any((f["symbol"] or "").split("+")[0] == function for f in s["frames"]), (name, s)
[seen] = json.loads(open(where + "/top.json").read().splitlines()[-1])["processes"]
assert seen["activations_blocked"] >= 1, seen
PY
exit 0
