#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The CPU quota, of both versions of control groups.  The kernel's own files are covered by ours in
# a private mount namespace, so that the test needs no control group of its own.
. "$(dirname "$0")/lib.sh"
unshare -m true 2>/dev/null || skip 'no private mount namespace'

# quota CGROUP MOUNTINFO: what features says in a process that has these files in /proc/self.
quota() {
	printf '%s\n' "$1" >"$dir/cgroup"
	printf '%s\n' "$2" >"$dir/mountinfo"
	expect 0 unshare -m sh -c 'mount --bind "$1/cgroup" /proc/$$/cgroup &&
		mount --bind "$1/mountinfo" /proc/$$/mountinfo && exec "$2" features' sh "$dir" "$UPCALL"
	sed -n 's/^cpu_quota  *\([^ ]*\) .*/\1/p' "$dir/out"
}

is() {
	[ "$1" = "$2" ] || fail "$3: quota $1, not $2"
}

mkdir -p "$dir/v2/a/b" "$dir/v1/a/b"
other='20 1 0:5 / /proc rw - proc proc rw'
v2="$other
30 20 0:26 / $dir/v2 rw,nosuid shared:4 - cgroup2 cgroup2 rw"
v1="$other
31 20 0:27 / $dir/v1 rw - cgroup cgroup rw,cpuset
32 20 0:28 / $dir/v1 rw shared:9 - cgroup cgroup rw,cpu,cpuacct"

is "$(quota 0::/a/b "$v2")" none 'nothing set'
echo 'max 100000' >"$dir/v2/a/cpu.max"
is "$(quota 0::/a/b "$v2")" none 'no maximum'
echo '150000 100000' >"$dir/v2/a/cpu.max"
is "$(quota 0::/a/b "$v2")" 1.500 'of the group above'
echo '30000 60000' >"$dir/v2/a/b/cpu.max"
is "$(quota 0::/a/b "$v2")" 0.500 'the tighter one counts'
is "$(quota 0::/a "$v2")" 1.500 'not that of a group below'
grep -qE '^vprocs +[12] ' "$dir/out" || fail 'rounded up'

# In a container the mount shows a part of the tree.
part="$other
30 20 0:26 /outside/a $dir/v2/a rw - cgroup2 cgroup2 rw"
is "$(quota 0::/outside/a/b "$part")" 0.500 'a mount of a part'
is "$(quota 0::/elsewhere "$part")" 1.500 'a path that cannot be seen'

echo -1 >"$dir/v1/a/b/cpu.cfs_quota_us"
echo 100000 >"$dir/v1/a/b/cpu.cfs_period_us"
is "$(quota '4:cpuset:/
3:cpu,cpuacct:/a/b' "$v1")" none 'version 1, no maximum'
echo 250000 >"$dir/v1/a/b/cpu.cfs_quota_us"
is "$(quota '4:cpuset:/
3:cpu,cpuacct:/a/b' "$v1")" 2.500 'version 1'
# Kubernetes' paths, once for each controller: the file is long.
long=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '%d:set%d:/%0250d\n' $((i + 3)) "$i" 0; done)
is "$(quota "$long
3:cpu,cpuacct:/a/b" "$v1")" 2.500 'version 1, behind other long paths'
exit 0
