#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall advise`: what it sees of programs whose blocks and threads are known, and what it makes of that.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
database=$BUILD/bench/database
[ -x "$database" ] || database=$(dirname "$UPCALL")/../bench/database

field() { sed -n "s/.*\"$1\": \"\{0,1\}\([-0-9.e+a-z ]*\).*/\1/p" "$dir/advice"; }
# holds EXPRESSION: in awk's words, on fields named $NAME here.
holds() { awk "BEGIN { exit !($1) }" || fail "not so: $1"; }
advise() {	# FORM REQUESTS [OPTION]
	expect 0 "$UPCALL" advise ${3-} --json "--output=$dir/advice" -- "$database" "$1" "$2"
	[ ! -s "$dir/out" ] || fail 'something on standard output'
}

# One thread, 50 of 1,000 requests by a disk: the waits are seen, and the model is applied to what was seen.
advise alone 1000
[ "$(field form)" = 'one thread' ] || fail 'the form'
[ "$(field nf)" = 0 ] || fail 'threads'
[ "$(field processes)" = 2 ] || fail 'the disk is a process'
rb=$(field rb) at=$(field at_s) ct=$(field ct_s) elapsed=$(field elapsed_s)
holds "$rb >= 35 && $rb <= 90"	# by samples: on a busy machine there are few
holds "$at >= 50 * 0.006 * 0.3 && $at <= $elapsed && $ct > 0.05"
holds "$ct + $at + $(field st_s) + $(field work_waits_s) + $(field without_processor_s) < 1.2 * $elapsed"
grep -q '"call": "read", "kind": "peer"' "$dir/advice" || fail 'read'
most="($at < $ct ? $at : $ct)"
cost="2 * $rb * $(field upcall_and_switch_ns) / 1e9"
holds "($(field saves_workers_s) - ($most - $cost)) ^ 2 < 1e-6"
holds "$(field saves_forks_s) <= $(field saves_workers_s)"

# Threads that wait for each other all the time, and one new thread after the other.
advise talk 200000
[ "$(field form)" = threads ] || fail 'the form of talk'
[ "$(field verdict)" = gains ] || fail "talk: $(field verdict)"
[ "$(field nf)" = 1 ] || fail 'one thread'
holds "$(field turns) > 1000 && $(field saves_ct_s) > 0 && $(field saves_ct_s) <= $(field ct_s)"
advise churn 12000 --check
[ "$(field verdict)" = gains ] || fail "churn: $(field verdict)"
[ "$(field nf_exact)" = false ] || [ "$(field nf)" = 12000 ] || fail "$(field nf) threads"
holds "$(field checked_ct_s) > 0 && $(field checked_ct_s) < $(field ct_s)"

# Nothing is gained by computing, and that is said; so is it of one that only waits.
expect 0 "$UPCALL" advise "$database" compute 2000
[ ! -s "$dir/out" ] || fail 'the advice is on standard output'
grep -q '^no: .* it computes' "$dir/err" || fail 'compute'
expect 0 "$UPCALL" advise --for=400ms sleep 60
grep -q '^no: it waits, and hardly computes' "$dir/err" || fail 'sleep'
grep -q 'clock_nanosleep' "$dir/err" || fail 'what sleep waits in'

# Another program's output and status are its own; scripts are looked at with what they start.
expect 7 "$UPCALL" advise sh -c 'echo mine; sleep 0.4; exit 7'
[ "$(cat "$dir/out")" = mine ] || fail 'its output'
grep -q '^sh: .*2 processes' "$dir/err" || fail 'its child'
expect 143 "$UPCALL" advise sh -c 'sleep 0.4; kill $$'

# Where the kernel tells of no threads, those that were seen are said to be that.
"$compiler" -o "$dir/refuse" "$(dirname "$0")/refuse.c" || fail 'cannot compile'
if "$dir/refuse" 298 true; then
	expect 0 "$dir/refuse" 298 "$UPCALL" advise "$database" compute 2000
	grep -q 'at least 8 threads started' "$dir/err" || fail 'without perf'
fi

expect 125 "$UPCALL" advise
complains 'no program given'
expect 127 "$UPCALL" advise nothing-of-this-name
complains 'not found'
expect 126 "$UPCALL" advise /dev/null
complains '/dev/null: '
expect 125 "$UPCALL" advise --for=soon true
complains "--for wants a time as 10s, 500ms or 2m, not 'soon'"
expect 125 "$UPCALL" advise --output=/nowhere/file true
complains '--output=/nowhere/file: No such file'
expect 125 "$UPCALL" advise true
complains 'too short a time to tell'
expect 125 "$UPCALL" run "$UPCALL" advise true
complains 'was itself started on Upcall'
