#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs go on when upcalld is killed, and are told by it again when it is back; nothing hangs.
. "$(dirname "$0")/lib.sh"
start_daemon
cd "$dir" || exit 1

blocks() {	# what the living program counts; its source is in the name
	"$UPCALL" stats "$(pgrep -f "$helpers/blocks futex 100000000" | tail -n 1)" 2>"$dir/err" |
		awk '$1 ~ /^upcalls.blocked/ { print $1, $2 }'
}

is_told_by() {
	[[ $(blocks) == "upcalls.blocked.$1 "* ]]
}

goes_on() {	# more blocks are seen than a moment ago
	local before now
	read -r _ before < <(blocks)
	more() { read -r _ now < <(blocks); [ "$now" -gt $((before + 20)) ]; }
	eventually more
}

[ -x "$BUILD/cli/upcall-look" ] || skip 'upcall stats is not built here'
timeout 100 taskset -c "$first_cpu" "$UPCALL" run -- "$helpers/blocks" futex 100000000 >"$dir/out" 2>&1 &
runner=$!
eventually is_told_by bpf
goes_on
for signal in KILL TERM; do
	stop_daemon $signal
	[ "$signal" = KILL ] || [ ! -e "$UPCALL_SOCKET" ] || fail 'the socket was left behind'
	eventually eval '! is_told_by bpf'
	goes_on
	start_daemon
	eventually is_told_by bpf
	goes_on
done
# Stopped, it answers nobody: programs start without it, soon.
kill -STOP "$daemon"
run 20 "$helpers/blocks" futex 100 || fail 'beside a stopped upcalld'
kill -CONT "$daemon"
kill "$runner"
wait "$runner"
exit 0
