#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The command itself: help, version, and words it does not know.
. "$(dirname "$0")/lib.sh"

expect 0 "$UPCALL" --help
says 'usage: upcall COMMAND'
says '  run '
says '  features '
is_silent
expect 0 "$UPCALL" --version
grep -qE '^upcall [0-9]+\.[0-9]+' "$dir/out" || fail 'no version'
expect 2 "$UPCALL"
complains 'upcall --help'
expect 2 "$UPCALL" frobnicate
complains "unknown command 'frobnicate'; see upcall --help"
for command in run features ps stack stats top trace bench advise; do
	expect 0 "$UPCALL" $command --help
	says "usage: upcall $command"
	is_silent
	says --help
	cp "$dir/out" "$dir/help"
	expect 0 "$UPCALL" help $command
	cmp -s "$dir/help" "$dir/out" || fail "help $command is not $command --help"
done
expect 2 "$UPCALL" help frobnicate
complains "unknown command 'frobnicate'; see upcall --help"
# The letter that is wrong, though others come behind it; and what lacks its value.
wrong() {	# STATUS OPTION COMMAND...
	status=$1 option=$2
	shift 2
	expect $status "$@" -$option$option
	complains "bad option '-$option'"
	expect $status "$@" --help=much
	complains "bad option '--help=much'"
	expect $status "$@" --nonsense
	complains "bad option '--nonsense'"
}
lacks() {	# STATUS OPTION COMMAND...
	status=$1 option=$2
	shift 2
	expect $status "$@" $option
	complains "$option wants a value"
}
for command in features ps stack stats top trace bench; do
	wrong 2 x "$UPCALL" $command
done
wrong 125 x "$UPCALL" run
wrong 125 x "$UPCALL" advise
lacks 125 --for "$UPCALL" advise
lacks 125 --output "$UPCALL" advise
lacks 125 --vprocs "$UPCALL" run
for option in --core --sort --state; do
	lacks 2 $option "$UPCALL" ps
done
lacks 2 --core "$UPCALL" stack
for option in -d -n --delay --sort --threads; do
	lacks 2 $option "$UPCALL" top
done
expect 2 "$UPCALL" top -bd
complains '-d wants a value'
lacks 2 -o "$UPCALL" trace
lacks 2 --svg "$UPCALL" trace
lacks 2 --runs "$UPCALL" bench
lacks 2 -i "$UPCALL" bench
upcalld=$BUILD/src/daemon/upcalld
if [ -x "$upcalld" ]; then
	wrong 1 x "$upcalld"
	lacks 1 --socket "$upcalld"
	expect 1 "$upcalld" --socket=
	complains '--socket wants a path'
	expect 1 "$upcalld" --status --socket=
	complains '--socket wants a path'
fi
# Output that cannot be written is an error.
if [ -w /dev/full ]; then
	"$UPCALL" --help >/dev/full 2>"$dir/err" && fail 'a full disk went unnoticed'
	complains 'standard output'
fi
exit 0
