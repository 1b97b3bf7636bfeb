# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Sourced by the scripts after tests/programs/lib.sh, whose `start` then runs a server in the mode of
# this call.  They are called and answer as the programs do (bench.h): SCRIPT CASE SECONDS SYSTEM, and
# lines `METRIC VALUE UNIT` on standard output.  BENCH_WORK is a folder that all calls of one
# `upcall bench` share, for what is made once.
[ $# -eq 3 ] || { echo "usage: $0 CASE SECONDS SYSTEM" >&2; exit 2; }
case=$1 seconds=$2 system=$3
shared=${BENCH_WORK:-$work}
if [ "$system" = upcall ]; then
	mode=upcall
	prefix=("$UPCALL" run --)
fi
here=$work/here
mkdir "$here"
cd "$here" || fail "cd"

row() {
	[ -n "$2" ] || fail "no figure for $1"
	printf '%s %s %s\n' "$1" "$2" "$3"
}

# at_least METRIC VALUE UNIT SYSTEM: the figure is to be so many times that of the other system.
at_least() { printf 'bound %s %s %s at-least %s\n' "$@"; }

# load COMMAND...: in the background, so that the traps stay alive; a failure is the script's.
loader=
load() {
	"$@" &
	loader=$!
	local status=0
	wait "$loader" || status=$?
	[ $status -eq 0 ] || { logged "$server_log"; fail "exit status $status of: $*"; }
	loader=
}
end_load() { [ -z "$loader" ] || kill "$loader" 2>/dev/null; end_all; }
trap end_load EXIT

# finish: the server ends in its own way; how is not this script's business.
finish() {
	stop "$@" >/dev/null
	exit 0
}
