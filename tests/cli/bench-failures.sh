#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcall bench in a build folder of its own, where the programs are made up: failures, plain threads,
# skipped cases and remarks are told, and the other cases still measured.
. "$(dirname "$0")/lib.sh"
mkdir -p "$dir/b/cli" "$dir/b/bench" "$dir/b/src" "$dir/tmp" || exit 1
cp "$UPCALL" "$dir/b/cli/upcall" && cp "$BUILD/src/libupcall-pthread.so" "$dir/b/src/" || exit 1
export TMPDIR="$dir/tmp"
bench() {
	expect "$1" "$dir/b/cli/upcall" bench --runs=2 --quick micro/yield micro/lock
}
program() {
	cat >"$dir/b/bench/micro"
	chmod +x "$dir/b/bench/micro"
}

# It never makes a thread, so what it prints is no figure of Upcall's.
program <<'P'
#!/bin/sh
echo "- 10 ns"
P
bench 1
grep -q 'yield on upcall ran on plain kernel threads' "$dir/err" || fail 'plain threads went unnoticed'
grep -qE '^  yield +glibc +10.00 +10.00 +10.00 +2 +0.0  ns' "$dir/out" || fail 'nor was glibc measured'
grep -qE '^ +upcall' "$dir/out" && fail 'a figure of plain threads'

program <<'P'
#!/bin/sh
[ "$1" = yield ] && { echo "it broke" >&2; exit 3; }
echo "- 10 ns"
P
bench 1
grep -q 'yield on glibc failed (status 3): it broke' "$dir/err" || fail 'a failure went unnoticed'
grep -qE '^  lock +glibc' "$dir/out" || fail 'the other case was not measured'

program <<'P'
#!/bin/sh
echo "note not here"
exit 77
P
bench 0
is_silent
says '(yield on glibc: not here)'
says '(lock on upcall: not here)'
[ "$(grep -c 'yield on glibc' "$dir/out")" -eq 1 ] || fail 'a remark twice'

# An answer without a figure, or with one that is no number or fits into no table.
for answer in 'note nothing' '- 10 us\n- inf ns' '- nan ns' '- 1e999 ns' '- 1e15 ns' '- 10 ns\npaper - inf ns Myth'; do
	program <<P
#!/bin/sh
printf '%b\n' '$answer'
P
	bench 1
	grep -q 'yield on glibc gave no figure: ' "$dir/err" || fail "taken: $answer"
	grep -qE '^  (yield|lock)' "$dir/out" && fail "a row of: $answer"
done

# Runs that differ: median of two, least, greatest, and a run that gives a remark besides.
program <<'P'
#!/bin/sh
[ -e "$BENCH_WORK/again" ] && echo "- 30 ns" || { : >"$BENCH_WORK/again"; echo "- 10 ns"; }
echo "note only some"
P
expect 1 "$dir/b/cli/upcall" bench --runs=2 --quick micro/lock
grep -qE '^  lock +glibc +20.00 +10.00 +30.00 +2 +70.7  ns' "$dir/out" || fail 'wrong median or deviation'
says '(lock on glibc: only some)'

# A paper's figures stand beside ours; what was faster there and is slower here is a failure.
program <<'P'
#!/bin/sh
echo "- 0.5 x"
echo "paper - 20 x Myth"
echo "paper - 30 x Somebody Else"
P
expect 1 "$dir/b/cli/upcall" bench --runs=1 --quick micro/lock
says 'paper: 20.00 (Myth), 30.00 (Somebody Else)'
grep -q 'micro lock on glibc is 0.5, less than 1; the paper has 20' "$dir/err" || fail 'a multiple below 1 went unnoticed'

# The upcalld that is started for upcall-bpf is no other system's.
program <<'P'
#!/bin/sh
echo "- 10 ns"
echo "note socket $UPCALL_SOCKET"
P
mkdir -p "$dir/b/src/daemon"
cp "$dir/b/bench/micro" "$dir/b/bench/upcalls"
ln -s /bin/false "$dir/b/src/daemon/upcalld"
expect 1 env UPCALL_SOCKET=/nobody "$dir/b/cli/upcall" bench --runs=2 --quick upcalls/nanosleep
says '(nanosleep on glibc: socket /nobody)'
grep -F 'socket /' "$dir/out" | grep -vF '/nobody' && fail 'an upcalld of another system'

# A pipe that nobody reads, or a signal, ends it, and nothing stays; under nohup a hang-up does not end it.
program <<'P'
#!/bin/sh
sleep 0.5
echo "- 10 ns"
P
{
	"$dir/b/cli/upcall" bench --runs=1 --quick micro/lock pingpong/baseline 2>"$dir/err"
	echo $? >"$dir/status"
} | :
[ "$(cat "$dir/status")" -eq 141 ] || fail "$(cat "$dir/status"), not 141, without a reader"
[ -z "$(ls "$TMPDIR")" ] || fail "left behind without a reader: $(ls "$TMPDIR")"

# ends_with STATUS SIGNAL [IGNORED]: sent while it measures.
ends_with() {
	(
		[ -z "$3" ] || trap '' "$3"
		exec "$dir/b/cli/upcall" bench --runs=1 --quick micro/lock >"$dir/out" 2>"$dir/err"
	) &
	for _ in $(seq 100); do
		[ -z "$(ls "$TMPDIR")" ] || break
		sleep 0.1
	done
	kill -"$2" $!
	wait $!
	got=$?
	[ $got -eq "$1" ] || fail "status $got, not $1, after SIG$2"
}
ends_with 131 QUIT
ends_with 129 HUP
ends_with 1 HUP HUP
grep -qE '^  lock +glibc' "$dir/out" || fail 'not measured under nohup'

[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
exit 0
