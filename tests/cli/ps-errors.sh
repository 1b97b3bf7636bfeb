#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What ps, stack and stats say where there is nothing to look at: one clear line.
. "$(dirname "$0")/lib.sh"
[ -x "$(dirname "$UPCALL")/upcall-look" ] || skip 'built without libdw'

for command in ps stack stats 'top -b'; do
	expect 1 "$UPCALL" $command 4194305
	complains 'process 4194305: no such process'
	expect 1 "$UPCALL" $command $$
	complains "process $$: it is not run by upcall"
	expect 2 "$UPCALL" $command nonsense
	complains "'nonsense' is no process id"
	expect 2 "$UPCALL" $command --nonsense
	complains "bad option '--nonsense'"
	expect 0 "$UPCALL" $command --help
	says "usage: upcall ${command% *}"
done
# The first process is nobody's that root might not ask: so that is not said.
if [ "$(id -u)" -eq 0 ]; then
	expect 1 "$UPCALL" ps 1
	grep -q "another user's" "$dir/err" && fail 'root is told to try as root'
	complains 'process 1: it'
fi
expect 2 "$UPCALL" ps --sort=nonsense
complains "--sort does not know 'nonsense'"
expect 2 "$UPCALL" ps --state=parked,nonsense
complains "--state does not know 'nonsense'"
for none in '' ,; do
	expect 2 "$UPCALL" ps --state=$none
	complains '--state names no state'
done
expect 2 "$UPCALL" ps -a 1
complains 'either -a or process ids'
expect 2 "$UPCALL" top --sort=nonsense
complains "--sort does not know 'nonsense'"
expect 2 "$UPCALL" top -d 0
complains '--delay wants seconds'
expect 2 "$UPCALL" top --count=none
complains '--count wants a number'
expect 1 "$UPCALL" top </dev/null
complains '-b prints plain text'
expect 2 "$UPCALL" stack
complains 'which process?'
expect 2 "$UPCALL" stack 1 one
complains "'one' is no thread's ID"
expect 1 "$UPCALL" stack --core "$0" "$0"
complains 'is not a core file'

# Another user's process.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	"$UPCALL" run sleep 20 &
	pid=$!
	sleep 0.5
	expect 1 setpriv --reuid=65534 --regid=65534 --clear-groups "$UPCALL" ps $pid
	kill $pid
	complains "process $pid: it may not be looked at"
fi
exit 0
