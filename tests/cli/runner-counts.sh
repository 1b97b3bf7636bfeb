#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/run, of a few made-up tests: each has a result, and one that left none has failed; so has an upcalld that
# ended amid mode bpf.
. "$(dirname "$0")/lib.sh"

program() {	# its text on standard input
	mkdir -p "$(dirname "$dir/$1")"
	{ echo '#!/bin/sh'; cat; } >"$dir/$1"
	chmod 755 "$dir/$1"
}

mkdir -p "$dir/tests" "$dir/build/tests"
cp "$root/tests/run" "$root/tests/list" "$dir/tests"
cp "$BUILD/tests/each" "$dir/build/tests"
: >"$dir/tests/fallback.list"
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

# What whoever starts the runner ignores, as behind nohup or &, the tests do not.
echo 'grep -q "^SigIgn:.*[^0]$" /proc/self/status && exit 1; exit 0' | program tests/cli/as-usual.sh
expect 0 nohup sh -c 'trap "" INT QUIT TERM; exec "$@"' sh env PATH="$dir/bin:$PATH" BUILD="$dir/build" \
	"$dir/tests/run" --jobs=1 --suite cli as-usual
says '1 passed, 0 failed, 0 skipped'

# A test that takes the folder of results away, and one that ends the program that would have noted it.
echo 'rm -rf "$RESULTS"' | program tests/cli/takes-away.sh
expect 1 run --suite cli takes-away
says 'FAIL cli [native]: 1 runs have no result'
says '0 passed, 1 failed, 0 skipped'
echo 'kill -KILL $PPID' | program tests/cli/kills.sh
expect 1 run --suite cli --repeat 3 --state "$dir/killed" kills
says 'runs have no result'
says '0 passed, 3 failed, 0 skipped'

# An upcalld that ends when the second test runs.
echo 'echo 0' | program bin/id
program build/src/daemon/upcalld <<'TXT'
case $* in *--status) exit 0 ;; esac
cd "${0%/*}" || exit 1
echo $$ >pid
while [ -e pid ] && [ ! -e end ]; do sleep 0.1; done
echo had enough >&2
TXT
mkdir "$dir/tests/native"
touch "$dir/tests/native/one.c" "$dir/tests/native/two.c"
echo 'exit 0' | program build/tests/native/one
echo 'exit 0' | program build/tests/native/two
expect 0 run --suite native --mode bpf
says '2 passed, 0 failed, 0 skipped'
program build/tests/native/two <<'TXT'
cd "$BUILD/src/daemon" && touch end && while kill -0 "$(cat pid)" 2>/dev/null; do sleep 0.1; done
TXT
expect 1 run --suite native --mode bpf
says 'FAIL native [bpf]: upcalld ended: had enough'
says '2 passed, 1 failed, 0 skipped'
# One that does not begin is none.
echo 'echo not on this kernel >&2; exit 1' | program build/src/daemon/upcalld
expect 0 run --suite native,cli,native --mode bpf passes one
says 'SKIP native [bpf]: not on this kernel'
says '1 passed, 0 failed, 2 skipped'
