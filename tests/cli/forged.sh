#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs whose library tells lies about its structures: the tools neither crash nor hang nor take
# much memory; where it makes no sense they say so, in one line.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
compiler=$(command -v cc) || skip 'no C compiler'
[ -x "$(dirname "$UPCALL")/upcall-look" ] || skip 'built without libdw'
printf '#include <unistd.h>\nint main(void) { sleep(60); }\n' >"$dir/sleeper.c"
"$compiler" -o "$dir/sleeper" "$dir/sleeper.c" || fail 'cannot compile'

pid=
trap '[ "$pid" ] && kill $pid; rm -rf "$dir"' EXIT

look() {	# CASE COMMAND...: not ended by a signal, in little time and memory
	number=$1
	shift
	(ulimit -v 1000000 && exec timeout 20 "$UPCALL" "$@" $pid) >"$dir/out" 2>"$dir/err"
	got=$?
	[ $got -le 1 ] || fail "case $number: status $got of $*"
	[ $got -eq 0 ] || [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "case $number: not one line of $*"
}

for case in 0 1 2 3 4 5 6 7 8 9 10 11 12 13; do
	mkdir -p "$dir/$case"
	library=$dir/$case/libupcall-pthread.so
	"$compiler" -shared -fPIC -DCASE=$case -I"$root/include" -o "$library" "$here/forged.c" ||
		fail 'cannot compile the library'
	LD_PRELOAD=$library "$dir/sleeper" &
	pid=$!
	for _ in $(seq 100); do
		grep -q libupcall-pthread /proc/$pid/maps && break
		sleep 0.05
	done
	sleep 0.2
	for command in ps stack stats 'top -b -n2 -d0.1' 'trace --seconds=0.1 --summary -p'; do
		look $case $command
		case $case-$command in
		[1246]-*|11-*) complains "process $pid: its page makes no sense" ;;
		[39]-ps*|12-ps) complains 'makes no sense' ;;
		0-ps|7-ps|8-ps|10-ps) [ $got -eq 0 ] || fail "case $case: $command fails" ;;
		13-*) complains 'cannot read the table' ;;
		esac
	done
	kill $pid
	wait $pid 2>/dev/null
	pid=
done
exit 0
