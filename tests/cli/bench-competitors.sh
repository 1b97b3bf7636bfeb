#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcall bench psyche/phases: its own competitors are as many as the level says, on one processor each, without Upcall,
# and gone when it is.
. "$(dirname "$0")/lib.sh"
cpus=$(nproc)

# competitors PID: those of its children that compete, and where they may run.
competitors() {
	for p in $(pgrep -P "$1"); do
		tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null | grep -q ' compete-' || continue
		echo "$p $(sed -n 's/^Cpus_allowed_list:.//p' "/proc/$p/status" 2>/dev/null)"
	done
}

# Two on each processor, at level 3; one that has just begun may run anywhere.
are_all() {
	awk -v n="$cpus" '$2 ~ /^[0-9]+$/ && ++of[$2] == 2 { done++ } END { exit NR != 2 * n || done != n }' "$dir/them"
}

# watch [COMMAND...]: runs it in pid until there are all.  Fails if it ends before they were seen.
watch() {
	"$@" >"$dir/out" 2>"$dir/err" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		competitors $pid >"$dir/them" 2>/dev/null
		are_all && return 0
		sleep 0.05
	done
	return 1
}

# check [COMMAND...]: the program, under that command.  On a busy machine level 3 may pass unseen.
check() {
	for _ in 1 2 3 4 5; do
		watch "$@" "$BUILD/bench/psyche" phases 0.05 any && break
	done
	are_all || fail "not two on each processor: $(cat "$dir/them")"
	pids=$(cut -d' ' -f1 "$dir/them")
	for p in $pids; do
		grep -q libupcall "/proc/$p/maps" && fail "competitor $p is one of Upcall"
	done
	kill -KILL $pid
	for _ in $(seq 200); do
		left=
		for p in $pids; do
			[ ! -d "/proc/$p" ] || left="$left $p"
		done
		[ -n "$left" ] || return 0
		sleep 0.05
	done
	fail "competitors outlive it:$left"
}
check env
check "$UPCALL" run --
exit 0
