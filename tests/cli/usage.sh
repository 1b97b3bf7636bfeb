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
for command in run features ps stack stats top trace bench; do
	expect 0 "$UPCALL" $command --help
	says "usage: upcall $command"
	is_silent
done
# Output that cannot be written is an error.
if [ -w /dev/full ]; then
	"$UPCALL" --help >/dev/full 2>"$dir/err" && fail 'a full disk went unnoticed'
	complains 'standard output'
fi
exit 0
