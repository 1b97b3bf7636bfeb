#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: advise.sh CASE SECONDS upcall
#
# What `upcall advise` says of a program before it is changed, and what is then measured, on one processor, as
# shares of the time before: of the program's whole time where one thread is to become several, of its processor
# time where threads are to become Upcall's.
. "$(dirname "$0")/programs.sh"
. "$(dirname "$0")/script.sh"
database=$(cd "$(dirname "$0")" && pwd)/database
server_log=/dev/null
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

field() { sed -n "s/.*\"$1\": \([-0-9.e+]*\).*/\1/p" advice.json; }
percent() { awk "BEGIN { print 100 * ($1) / ($2) }"; }	# PART WHOLE
# advise FORM PER_SECOND [OPTION]: of so many requests as take about the time that is asked for.
advise() {
	requests=$(awk "BEGIN { print int($seconds * $2) }")
	load "$UPCALL" advise ${3-} --json --output=advice.json -- taskset -c "$cpu" "$database" "$1" "$requests"
}
# seconds_of COMMAND...: nobody looks at it.
seconds_of() {
	local began
	began=$(date +%s.%N)
	load taskset -c "$cpu" "$@"
	awk "BEGIN { print $(date +%s.%N) - $began }"
}

case $case in
workers | forks)
	advise alone 1600
	predicted=$(field "saves_${case}_s")
	before=$(seconds_of "$database" alone "$requests")
	measured=$(awk "BEGIN { print $before - $(seconds_of "$UPCALL" run -- "$database" "$case" "$requests") }")
	;;
*)
	case $case in
	talk) advise talk 200000 --check ;;
	churn) advise churn 40000 --check ;;
	direct) advise direct 40000 --check ;;
	*) advise compute 3000 --check ;;
	esac
	before=$(field ct_s) predicted=$(field saves_ct_s)
	measured=$(awk "BEGIN { print $before - $(field checked_ct_s) }")
	;;
esac
row predicted "$(percent "$predicted" "$before")" %
row measured "$(percent "$measured" "$before")" %
row error "$(percent "$predicted - ($measured)" "$before")" %
