#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The probes that the manual lists are in the library, with so many arguments, one semaphore for all;
# gdb stops at one, and perf counts one, when the tracing starts and never otherwise.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traced.lib"
library=$(dirname "$(dirname "$UPCALL")")/src/libupcall-pthread.so
manual=$here/../../man/upcall-probes.7
command -v readelf >/dev/null || skip 'no readelf'
[ -f "$library" ] || skip 'an installed command'
traced_build

expect 0 readelf -n "$library"
grep -q stapsdt "$dir/out" || skip 'built without <sys/sdt.h>'
# "name count" of each probe, as the library and as the manual have them.
awk '/Name:/ { name = $2 } /Arguments:/ { print name, NF - 1 }' "$dir/out" | sort >"$dir/built"
sed -n 's/^\.It Li \([a-z_]*\) Ar \(.*\)/\1 \2/p' "$manual" | awk '{ print $1, NF - 1 - gsub(/ ,/, "") }' |
	sort >"$dir/documented"
cmp "$dir/built" "$dir/documented" || fail "built: $(cat "$dir/built"); documented: $(cat "$dir/documented")"
[ "$(sed -n 's/.*Semaphore: //p' "$dir/out" | sort -u | wc -l)" -eq 1 ] || fail 'not one semaphore'
sed -n 's/.*Semaphore: //p' "$dir/out" | grep -qv '^0x0*$' || fail 'no semaphore'

if command -v gdb >/dev/null; then
	cat >"$dir/commands" <<'GDB'
set breakpoint pending on
set pagination off
handle SIGURG nostop noprint pass
break main
run 10 0 lock
break -probe-stap upcall:create
continue
printf "CREATED %d BY %d\n", $_probe_arg2, $_probe_arg1
info symbol $_probe_arg3
continue
printf "CREATED %d BY %d\n", $_probe_arg2, $_probe_arg1
kill
GDB
	cd "$dir" && gdb -batch -nx -ex "set environment LD_PRELOAD $library" \
		-ex 'set environment GLIBC_TUNABLES glibc.pthread.rseq=0' -ex 'set startup-with-shell off' \
		-x commands ./traced >"$dir/out" 2>"$dir/err"
	says 'CREATED 2 BY 1'
	says 'locker in section .text'
	says 'CREATED 3 BY 1'
fi

if [ "$(id -u)" -ne 0 ] || ! command -v perf >/dev/null || ! perf probe --help >/dev/null 2>&1; then
	exit 0
fi
perf="perf --buildid-dir $dir/buildids"
$perf buildid-cache --add "$library" >/dev/null 2>&1 || exit 0
event=$($perf probe --add 'sdt_upcall:create' 2>&1 | sed -n 's/^ *\(sdt_upcall:create[_0-9]*\) .*/\1/p' | head -n 1)
[ -n "$event" ] || { echo 'perf cannot set the probe'; exit 0; }
perf stat -x, -e "$event" -o "$dir/count" "$UPCALL" run -- "$dir/traced" 10 0 "$dir/lock" >"$dir/out" 2>"$dir/err"
perf probe -q --del "$event" >/dev/null 2>&1
! grep -q 'No permission' "$dir/err" || skip 'perf is refused'
grep -q '^9,' "$dir/count" || fail "perf counted: $(cat "$dir/count")"
exit 0
