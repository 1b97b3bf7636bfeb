#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/run, of a few made-up tests: each has a result, and one that left none has failed.
. "$(dirname "$0")/lib.sh"

program() {	# its text on standard input
	mkdir -p "$(dirname "$dir/$1")"
	{ echo '#!/bin/sh'; cat; } >"$dir/$1"
	chmod 755 "$dir/$1"
}

mkdir -p "$dir/tests" "$dir/build"
cp "$root/tests/run" "$root/tests/list" "$dir/tests"
touch "$dir/build/build.ninja"
program bin/ninja </dev/null
program bin/meson </dev/null
echo 'shift 2; exec "$@"' | program build/cli/upcall
echo 'exit 0' | program tests/cli/passes.sh
echo 'exit 1' | program tests/cli/fails.sh
echo 'echo skip: not here; exit 77' | program tests/cli/skips.sh

unset STATE RESULTS REPEATED
run() {
	env PATH="$dir/bin:$PATH" BUILD="$dir/build" "$dir/tests/run" --jobs=1 "$@"
}

expect 1 run --suite cli
says 'cli [native]: 1 passed, 1 failed, 1 skipped'
says 'SKIP cli/skips [native]: not here'
[ "$(tail -n 1 "$dir/out")" = '1 passed, 1 failed, 1 skipped' ] || fail 'the last line'
expect 0 run --suite cli,cli passes
says 'cli [native]: 1 passed, 0 failed'
[ "$(tail -n 1 "$dir/out")" = '2 passed, 0 failed, 0 skipped' ] || fail 'the last line of a suite that is named twice'

# What has been noted is not run again.
expect 0 run --suite cli --repeat 2 --state "$dir/state" passes
says '2 passed, 0 failed, 0 skipped'
expect 0 run --suite cli --repeat 5 --state "$dir/state" passes
says '3 passed, 0 failed, 0 skipped'
says '5 runs noted'
expect 0 run --suite cli --repeat 5 --state "$dir/state" passes
says '0 passed, 0 failed, 0 skipped'

# A test that takes the folder of results away, and one that ends the shell that would have noted it.
echo 'rm -rf "$RESULTS"' | program tests/cli/takes-away.sh
expect 1 run --suite cli takes-away
says 'FAIL cli [native]: 1 runs have no result'
says '0 passed, 1 failed, 0 skipped'
echo 'kill -KILL $(cut -d " " -f 4 /proc/$PPID/stat)' | program tests/cli/kills.sh
expect 1 run --suite cli --repeat 3 --state "$dir/killed" kills
says 'runs have no result'
says '0 passed, 3 failed, 0 skipped'
