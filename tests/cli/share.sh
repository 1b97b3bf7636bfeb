#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcalld --share: programs on Upcall are told how many processors to use, follow that, and have all of them again
# when the others, or the daemon, are gone; and whatever a client writes changes its own share only.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
upcalld=$BUILD/src/daemon/upcalld

[ -x "$upcalld" ] || skip 'upcalld is not built'
[ "$(nproc)" -ge 2 ] || skip 'one processor cannot be shared out'
compiler=$(command -v cc) || skip 'no C compiler'
"$compiler" -O2 -I"$here/../../include" -o "$dir/share" "$here/share.c" || fail 'cannot compile share.c'
echo 'int main(void) { for (;;) ; }' >"$dir/spin.c"
"$compiler" -o "$dir/spin" "$dir/spin.c" || fail 'cannot compile spin.c'
"$compiler" -O2 -I"$here/../../include" -o "$dir/shared" "$here/shared.c" -pthread -ldl || fail 'cannot compile shared.c'

# It counts only the processors of its mask: two, wherever this runs; so do the programs.
cpus=$(python3 -c 'import os; print(",".join(map(str, sorted(os.sched_getaffinity(0))[:2])))') || skip 'no python3'
on="taskset -c $cpus"		# which then is the program that is started
export UPCALL_SOCKET="$dir/socket"
$on "$upcalld" --socket="$dir/socket" --share=upcall 2>"$dir/upcalld" &
daemon=$!
trap 'kill -KILL $daemon $client $program $second $fixed $off $spins 2>/dev/null; rm -rf "$dir"' EXIT
await() {	# SECONDS COMMAND...
	n=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		n=$((n - 1))
		[ $n -gt 0 ] || return 1
		sleep 0.05
	done
}
await 20 "$upcalld" --status --socket="$dir/socket" || skip "upcalld cannot run here: $(tail -n 1 "$dir/upcalld")"
"$upcalld" --status --socket="$dir/socket" | grep -q 'shares 2 processors out: 0 processes' || fail 'the status'
last() {
	[ "$(tail -n 1 "$1" 2>/dev/null)" = "$2" ]
}

# A client that wants both processors leaves one to a program that computes with four threads; when it is gone, both.
$on "$dir/share" "$dir/socket" want 2 >"$dir/want" &
client=$!
$on "$UPCALL" run "$dir/shared" 4 >"$dir/program" 2>&1 &
program=$!
await 20 last "$dir/program" 1 || fail "a program was not told to use one processor: $(cat "$dir/program")"
await 20 last "$dir/want" 1 || fail "a client was not told to use one processor: $(cat "$dir/want")"
kill $client
wait $client 2>/dev/null
await 20 last "$dir/program" 2 || fail 'the share of a client that was killed was not handed on'

# Two programs; one that is stopped wants nothing.
$on "$UPCALL" run "$dir/shared" 2 >"$dir/second" 2>&1 &
second=$!
await 20 last "$dir/program" 1 && await 20 last "$dir/second" 1 || fail 'two programs do not share'
kill -STOP $second
await 20 last "$dir/program" 2 || fail 'the share of a program that is stopped was not handed on'
kill -CONT $second
await 20 last "$dir/program" 1 || fail 'a program that goes on has no share'
kill $second
wait $second 2>/dev/null

# Rubbish; and two programs that say how many they want, or take no part.
$on "$dir/share" "$dir/socket" rubbish || fail 'a client that writes rubbish was given that'
kill -0 $daemon || fail 'the daemon has ended'
$on "$UPCALL" run --vprocs=2 "$dir/shared" 2 >"$dir/fixed" 2>&1 &
fixed=$!
$on env UPCALL_DISABLE=share "$UPCALL" run "$dir/shared" 2 >"$dir/off" 2>&1 &
off=$!
await 20 last "$dir/fixed" 2 && await 20 last "$dir/off" 2 || fail 'programs that take no part'
sleep 1
last "$dir/fixed" 2 && last "$dir/off" 2 || fail 'programs that take no part were given a share'
await 20 last "$dir/program" 2 || fail 'others count, against what was asked for'
kill $fixed $off
wait $fixed $off 2>/dev/null

# The daemon is killed: what is old counts no more.
$on "$dir/share" "$dir/socket" want 2 >"$dir/want" &
client=$!
await 20 last "$dir/program" 1 || fail 'not shared once more'
kill -KILL $daemon
wait $daemon 2>/dev/null
await 20 last "$dir/program" 2 || fail 'a program does not go on when the daemon is gone'

# The others count, where nobody says that they should not.
$on "$upcalld" --socket="$dir/socket" --share 2>"$dir/upcalld" &
daemon=$!
for i in 1 2; do
	$on "$dir/spin" &
	spins="$spins $!"
done
await 40 last "$dir/program" 1 || fail 'what others use does not count'
kill $spins $daemon
wait $spins $daemon 2>/dev/null
expect 1 "$upcalld" --share=some
complains "not 'some'"

# Without --share.
$on "$upcalld" --socket="$dir/socket" 2>"$dir/upcalld" &
daemon=$!
if await 20 "$upcalld" --status --socket="$dir/socket"; then
	"$dir/share" "$dir/socket" want 1 >"$dir/out"
	[ $? -eq 3 ] && grep -q 'no share of the processors' "$dir/out" || fail 'without --share'
fi
kill $client $program
exit 0
