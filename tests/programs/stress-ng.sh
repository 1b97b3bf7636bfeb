#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# stress-ng's pthread, mutex and futex stressors and their kin, a bounded number of operations each,
# verified by themselves.
. "$(dirname "$0")/lib.sh"
need stress-ng stress-ng

# stressor NAME OPERATIONS OPTIONS...: two instances of it.
stressor() {
	on stress-ng "--$1" 2 "--$1-ops" "$2" "${@:3}" --timeout 30 --verify --temp-path "$here" \
		--metrics >out 2>&1 || fail "$1: exit status $?: $(tail -n 5 out)"
	! grep -iE 'fail:|error:' out >&2 || fail "$1 complains"
	# the line of the stressor: its operations, and the time, below the limit
	awk -v name="$1" -v wanted="$2" '$4 == name && !seen++ { done = $5 >= wanted && $6 < 30 }
		END { print name, done ? "complete" : "short" }' out
}

stress() {
	stressor pthread 400 --pthread-max 64
	stressor mutex 4000
	stressor futex 4000
	stressor vm-splice 2000
	stressor fifo 4000
	stressor switch 4000
	stressor switch 4000 --switch-method pipe
	! grep short "$work/$mode.result" >&2 || fail "operations are missing"
}
twice stress
