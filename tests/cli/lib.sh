# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the tests of the command: `expect` runs it and compares what it says and returns.
root=${ROOT-$(cd "$(dirname "$0")/../.." && pwd)}
UPCALL=${UPCALL-$root/build/cli/upcall}
BUILD=${BUILD-$root/build}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

unset UPCALL_VPROCS UPCALL_BOUND UPCALL_SCOPE UPCALL_SLICE UPCALL_POLICY UPCALL_SOURCE UPCALL_IO UPCALL_STATS
unset UPCALL_CHILDREN UPCALL_DISABLE LD_PRELOAD GLIBC_TUNABLES

fail() {
	echo "stdout: $(cat "$dir/out")"
	echo "stderr: $(cat "$dir/err")"
	echo "failed: $*"
	exit 1
}

skip() {
	echo "skip: $*"
	exit 77
}

# expect STATUS COMMAND...: runs it, its output in $dir/out and $dir/err.
expect() {
	want=$1
	shift
	"$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" -eq "$want" ] || fail "status $got, not $want: $*"
}

says() {	# on standard output
	grep -qF -e "$1" "$dir/out" || fail "stdout lacks '$1'"
}

complains() {	# on standard error, in one line
	grep -qF -e "$1" "$dir/err" || fail "stderr lacks '$1'"
	[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "stderr is not one line"
}

is_silent() {
	[ ! -s "$dir/err" ] || fail "stderr is not empty"
}

# until_ready FILE: the program that writes it has begun, or 30 s are over.
until_ready() {
	for _ in $(seq 300); do
		grep -qs ready "$1" && return
		sleep 0.1
	done
	fail 'the program never got ready'
}

# variable NAME VALUE: the environment that the program saw (it was env) has it so.
variable() {
	grep -qxF -e "$1=$2" "$dir/out" || fail "$1 is not $2"
}
