#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Who blocks in a page fault is told as a fault, who blocks in a call with the call's number.
. "$(dirname "$0")/lib.sh"
start_daemon
cd "$dir" || exit 1
rounds=100
run 60 "$helpers/faults" $rounds
got=$?
[ $got -eq 77 ] && { cat "$dir/out"; exit 77; }
[ $got -eq 0 ] || fail "status $got"
read -r _ faults _ naps _ others _ returns <"$dir/out"
told_by bpf $rounds
# Some are found by the monitor, or are over by then; and who does little else than block gets a kernel thread of its
# own, of which nothing is told: the sooner the busier the machine.
[ "$faults" -ge $((rounds / 10)) ] && [ "$faults" -le $((rounds + rounds / 4)) ] || fail "$faults faults of $rounds"
[ "$naps" -ge $((rounds / 10)) ] && [ "$naps" -le $rounds ] || fail "$naps naps of $rounds"
[ "$others" -le $((rounds / 4)) ] || fail "$others other blocks"
[ "$returns" -ge $(((faults + naps) / 2)) ] || fail "$returns ends of $((faults + naps)) blocks"
exit 0
