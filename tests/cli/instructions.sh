#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The hot paths take about as many instructions as instructions.list says, and no more locked ones.  A path that
# takes more now, for a reason, gets a new line there in the same commit; so does one that has become shorter.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
MARGIN=5	# per cent: compilers differ, and now and then a round has a look at the clock in it

[ "$(uname -m)" = x86_64 ] || skip 'the list is for x86-64'
compiler=$(command -v cc) || skip 'no C compiler'
how=$(grep 'src/sched/switch\.c' "$BUILD/compile_commands.json" 2>/dev/null)
case $how in
*UPCALL_INJECT*|*-fsanitize*|*clang*) skip 'the list is for gcc, and a build for use' ;;
*-O[23]*) ;;
*) skip 'the list is for an optimised build' ;;
esac

build() {	# PROGRAM SOURCE ARGUMENTS...
	program=$1 source=$2
	shift 2
	"$compiler" -O2 -o "$dir/$program" "$here/$source" "$@" || fail 'cannot compile'
}
build step step.c
build pthread paths.c -pthread
build native paths.c -DNATIVE -I"$root/include" -L"$BUILD/src" -Wl,-rpath,"$BUILD/src" -lupcall

export UPCALL_VPROCS=1 UPCALL_SLICE=off UPCALL_SOURCE=monitor UPCALL_DISABLE=rseq_slice
count() {	# INTERFACE PATH
	for _ in $(seq 40); do		# a thread that stands at a breakpoint is soon taken for blocked
		case $1 in
		native) "$dir/step" "$dir/native" "$2" ;;
		pthread) "$dir/step" "$UPCALL" run --vprocs=1 --slice=off --source=monitor "$dir/pthread" "$2" ;;
		esac >"$dir/out" 2>"$dir/err"
		status=$?
		[ $status -eq 75 ] || break
	done
	[ $status -ne 77 ] || skip "$(cat "$dir/err")"
	[ $status -eq 0 ] || fail "counting $1 $2"
}

worse=
while read -r interface path instructions locked; do
	case $interface in ''|'#'*) continue ;; esac
	most=$((instructions + instructions * MARGIN / 100))
	least=
	for _ in 1 2 3 4 5; do		# now and then all rounds have a look at something in them
		count "$interface" "$path"
		read -r now now_locked <"$dir/out"
		[ -n "$least" ] && [ "$now" -ge "$least" ] || least=$now
		[ "$least" -gt "$most" ] || break
	done
	echo "$interface $path $least $now_locked"
	if [ "$least" -gt "$most" ] || [ "$now_locked" -gt "$locked" ]; then
		worse="$worse $interface/$path ($least, not $instructions; $now_locked locked, not $locked)"
	fi
done <"$here/instructions.list"
[ -z "$worse" ] || fail "more than there were:$worse"
exit 0
