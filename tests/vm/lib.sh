# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the tests that run in an emulated machine.
set -u
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../../build}
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT

skip() {
	echo "skip: $1"
	exit 77
}

# get_kernel RELEASE: sets $kernel, or skips.
get_kernel() {
	kernel=$("$here/kernel" "$1") || { echo "$kernel"; exit 77; }
	command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64'
	command -v busybox >/dev/null || skip 'no busybox'
}

# put FILE...: of the build folder, without what a debugger needs, to the same place below /b.
put() {
	local file
	for file; do
		mkdir -p "$tree/b/$(dirname "$file")" && cp "$BUILD/$file" "$tree/b/$file" || exit 1
		strip -g "$tree/b/$file" 2>/dev/null
	done
}

# put_tests SUITE PATTERN...: those of a suite that are built and match.
put_tests() {
	local suite=$1 pattern file
	shift
	for pattern; do
		for file in "$BUILD/tests/$suite"/$pattern; do
			[ -f "$file" ] && [ -x "$file" ] && put "tests/$suite/${file##*/}"
		done
	done
}

# pthread_cancel loads it by itself.
libgcc=$(ldconfig -p 2>/dev/null | sed -n 's/.*libgcc_s\.so\.1 .*x86-64.* => //p' | head -n 1)
[ -n "$libgcc" ] && mkdir -p "$tree/lib/x86_64-linux-gnu" && cp -L "$libgcc" "$tree/lib/x86_64-linux-gnu/"

# What runs inside is busybox's shell: check NAME COMMAND... says how it went; `end_checks` comes last, and says again what
# failed, as who reads a long log reads its end.
cat >"$tree/inside.sh" <<'TXT'
failed=0
: >/tmp/failures
# note_failure WHAT LINES: with the last lines of its output
note_failure() {
	echo "FAILED $1"
	tail -n "$2" /tmp/out
	{ echo "FAILED $1"; tail -n "$2" /tmp/out; } >>/tmp/failures
	failed=$((failed + 1))
}
end_checks() {
	[ $failed -eq 0 ] && return
	echo "$failed failed:"
	cat /tmp/failures
	return 1
}
check() {
	name=$1
	shift
	"$@" >/tmp/out 2>&1
	status=$?
	case $status in
	0) echo "ok $name: $(tail -n 1 /tmp/out)" ;;
	77) echo "skip $name: $(tail -n 1 /tmp/out)" ;;
	*) note_failure "$name: status $status" 8 ;;
	esac
}
# all NAME FOLDER: every program in it under the runtime; those that fail are named.
all() {
	n=0 bad=0
	for program in "$2"/*; do
		mkdir -p /tmp/w && cd /tmp/w
		timeout 100 /b/cli/upcall run -- "$program" >/tmp/out 2>&1 </dev/null
		status=$?
		n=$((n + 1))
		[ $status -eq 0 ] || [ $status -eq 77 ] || {
			note_failure "$1: ${program##*/}: status $status" 5
			bad=$((bad + 1))
		}
		cd / && rm -rf /tmp/w
	done
	echo "$1: $n run, $bad failed"
}
# The clock ticks that a process has had.
ticks() {
	set -- $(cat /proc/$1/stat)
	echo $((${14} + ${15}))
}
no_complaints() {
	! dmesg | grep -E 'BUG|Oops|WARNING'
}
state_is() {
	[ "$(cat /sys/kernel/sched_ext/state)" = "$1" ]
}
wait_for() {
	for i in $(seq 100); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.2
	done
	echo "never: $*"
	return 1
}
TXT
