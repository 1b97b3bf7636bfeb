# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the tests of upcalld: each has a daemon of its own, on a socket of its own.
root=${ROOT-$(cd "$(dirname "$0")/../.." && pwd)}
UPCALL=${UPCALL-$root/build/cli/upcall}
BUILD=${BUILD-$root/build}
helpers=$BUILD/tests/kernel
dir=$(mktemp -d) || exit 1
chmod 755 "$dir"
export UPCALL_SOCKET=$dir/socket
daemon=

unset UPCALL_VPROCS UPCALL_BOUND UPCALL_SLICE UPCALL_POLICY UPCALL_SOURCE UPCALL_STATS UPCALL_CHILDREN
export UPCALL_DISABLE=bind	# threads that do nothing but block are to be as others

fail() {
	echo "failed: $*"
	[ -f "$dir/log" ] && sed 's/^/upcalld said: /' "$dir/log"
	for file in "$dir"/out "$dir"/err; do
		[ -f "$file" ] && sed "s,^,${file##*/}: ," "$file"
	done
	exit 1
}

skip() {
	echo "skip: $*"
	exit 77
}

stop_daemon() {	# [SIGNAL]
	[ -n "$daemon" ] && kill "-${1-TERM}" "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null
	daemon=
}

finish() {
	stop_daemon KILL
	rm -rf "$dir"
}
trap finish EXIT

# start_daemon [OPTION...]: and waits until it answers.
start_daemon() {
	[ "$(id -u)" -eq 0 ] || skip 'loading programs into the kernel takes root'
	[ -x "$BUILD/src/daemon/upcalld" ] || skip 'upcalld is not built here'
	"$BUILD/src/daemon/upcalld" --socket="$UPCALL_SOCKET" "$@" >>"$dir/log" 2>&1 &
	daemon=$!
	for _ in $(seq 200); do
		status >/dev/null 2>&1 && return
		if ! kill -0 "$daemon" 2>/dev/null; then
			grep -q 'cannot load' "$dir/log" && skip "this kernel: $(tail -n 1 "$dir/log")"
			fail 'upcalld ended'
		fi
		sleep 0.05
	done
	fail 'upcalld does not answer'
}

status() {
	"$BUILD/src/daemon/upcalld" --socket="$UPCALL_SOCKET" --status
}

# eventually COMMAND...: within ten seconds it succeeds.
eventually() {
	for _ in $(seq 200); do
		"$@" && return
		sleep 0.05
	done
	fail "not in ten seconds: $*"
}

first_cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')

# run SECONDS PROGRAM...: under Upcall on one processor, its counters in $dir/stats.
run() {
	local seconds=$1
	shift
	rm -f "$dir/stats"
	timeout "$seconds" taskset -c "$first_cpu" "$UPCALL" run --stats="$dir/stats" -- "$@" \
		>"$dir/out" 2>"$dir/err"
}

counter() {	# NAME: 0 if there is none
	awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }' "$dir/stats"
}

# told_by SOURCE N: that source was in use at the end, and N blocks or more were seen in all.
told_by() {
	[ "$(counter "upcalls.blocked.$1")" -ge "$2" ] ||
		fail "$1 saw $(counter "upcalls.blocked.$1") blocks, not $2: $(tr -s ' \n' ' ' <"$dir/stats")"
}
