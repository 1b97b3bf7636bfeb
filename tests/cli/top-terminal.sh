#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall top` on terminals of two sizes, in colour and without, with every key; the size changes.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"
command -v tmux >/dev/null || skip 'no tmux'
"$UPCALL" top </dev/null 2>&1 | grep -q 'built without ncurses' && skip 'built without ncurses'

situation "$UPCALL" run --vprocs=2 "$dir/situation" 100 "$dir/lock"
export TMUX_TMPDIR="$dir"
unset TMUX
servers=0	# one each time: a new one could meet the last one while that ends
tm() { tmux -f /dev/null -L "$servers" "$@"; }
trap 'tm kill-server 2>/dev/null; kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$dir"' EXIT

begin() {	# WIDTH HEIGHT ENVIRONMENT...
	width=$1 height=$2
	shift 2
	tm kill-server 2>/dev/null
	servers=$((servers + 1))
	tm new-session -d -x "$width" -y "$height" "env $* '$UPCALL' top -d 0.5 $pid; echo ended with \$?; sleep 100"
}

# Until the screen shows this (a basic regular expression), or not: `shows ! WHAT`.
shows() {
	sign=
	[ "$1" = ! ] && { sign=!; shift; }
	for _ in $(seq 100); do
		tm capture-pane -p >"$dir/out" 2>"$dir/err"
		if [ -z "$sign" ]; then
			grep -q -e "$1" "$dir/out" && return
		else
			[ -s "$dir/out" ] && ! grep -q -e "$1" "$dir/out" && return
		fi
		sleep 0.1
	done
	fail "on a $width x $height screen: ${sign:+not }$1"
}

press() {
	tm send-keys "$@"
}

fits() {	# every line is used, none is cut in the middle of a column of numbers
	[ "$(wc -l <"$dir/out")" -eq "$height" ] || fail "$(wc -l <"$dir/out") lines, not $height"
	awk -v w="$width" 'length($0) > w { exit 1 }' "$dir/out" || fail 'a line is too long'
	head -n 1 "$dir/out" | grep -q '^upcall top [0-9:]*  1 process, 113 threads' || fail 'the first line'
	tail -n 1 "$dir/out" | grep -q '^q quit  h help' || fail 'the last line'
	for head in 'PID COMMAND .* CPU% THREADS READY  RUN  BLK SPARE SWITCH/s  STEAL/s' \
		'VP CPU STATE   BUSY% QUEUE SWITCH/s    IO/s STEAL/s PREEM/s  WAKE/s BLOCK/s' \
		'ID NAME            STATE     CPU%     CPU   TIME .*WAITS FOR'; do
		grep -q "$head" "$dir/out" || fail "no head '$head'"
	done
	grep -q '^[> ] *0  *[0-9]* running  *[0-9.]* ' "$dir/out" || fail 'vproc 0'
	grep -q '^[> ] *1  *[0-9]* running  *[0-9.]* ' "$dir/out" || fail 'vproc 1'
	grep -q 'upcalls/s ([a-z]*): added .* blocked .* unblocked .* preempted ' "$dir/out" || fail 'causes'
	grep -q ': 113 threads: .*parked.* kernel (' "$dir/out" || fail 'states'
}

use() {
	shows 'computer        running  *[0-9][0-9.]*  *[0-9.]'
	shows ' 2 running'
	fits
	press s i	# the order: state, then number
	shows 'by id'
	shows '^>  *1 main '
	press Down Down
	shows '^>  *3 circle '
	press Enter
	shows '^thread 3 circle (parked)'
	shows '#[0-9]*  *0x[0-9a-f]* circle at .*situation.c:'
	shows '#[0-9]*  *0x[0-9a-f]* arch_context_start'
	press q		# back
	shows '^>  *3 circle '
	press / r w l o c k Enter
	shows 'WAITS FOR \[rwlock\]'
	shows ! 'sem-waiter'
	shows 'reader .*rwlock'
	press / Escape
	shows ! 'WAITS FOR \['
	press h
	shows 'keys and columns'
	press Space
	shows ! 'keys and columns'
	press r
	shows 'by -id'
	press Tab
	shows "^>  *$pid situation"
	press Space
	shows '^STOPPED'
	press Space
	shows ! '^STOPPED'
	press End Home c r Tab Tab Tab Tab
	shows 'by cpu'
}

begin 80 24
use
# The first screen has no room for where each thread runs; a larger one has it.
grep -q 'STACK ON' "$dir/out" && fail 'too much for 80 columns'
tm resize-window -x 132 -y 40
width=132 height=40
shows 'STACK ON'
shows 'VP CPU .* PARK/s RUNS'
fits
shows ' vp[01]:[0-9]'
tm resize-window -x 40 -y 6
shows ! 'WAITS FOR'
tm resize-window -x 80 -y 24
width=80 height=24
shows 'WAITS FOR'
fits
press q
shows 'ended with 0'
tm kill-server

begin 132 40 NO_COLOR=1
use
press q
shows 'ended with 0'
tm kill-server

# Signals that end it leave the terminal as it was, whether it waits for a key or not.
ulimit -c 0
for signal in HUP QUIT TERM; do
	for key in '' Space; do
		begin 80 24
		shows '^q quit  h help'
		[ "$key" ] && press $key && shows '^STOPPED'
		[ "$(tm display-message -p '#{alternate_on}')" = 1 ] || fail 'no alternate screen'
		for top in $(cat /proc/$(tm display-message -p '#{pane_pid}')/task/*/children); do
			kill -$signal $top
		done
		shows 'ended with'
		[ "$(tm display-message -p '#{alternate_on}')" = 0 ] || fail "the alternate screen is on after SIG$signal"
		tm kill-server
	done
done

# A terminal without colour, or anything else.
begin 80 24 TERM=vt100
use
tm capture-pane -p -e >"$dir/out"
grep -q "$(printf '\033\\[[0-9;]*3[0-7]m')" "$dir/out" && fail 'colour on a vt100'
kill -9 $pid
shows "process $pid: \(it has no memory\|no such process\)"
press q
shows 'ended with 0'
tm kill-server
begin 80 24 TERM=nonsense
shows "the terminal 'nonsense' is not known; -b prints plain text"
shows 'ended with 1'
tm kill-server
exit 0
