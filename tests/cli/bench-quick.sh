#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcall bench --quick in a build folder of its own, where each call takes half a second: a benchmark makes as many
# runs as there is time for, all its cases at least one, and says so.
. "$(dirname "$0")/lib.sh"
mkdir -p "$dir/b/cli" "$dir/b/bench" "$dir/b/src" "$dir/tmp" || exit 1
cp "$UPCALL" "$dir/b/cli/upcall" && cp "$BUILD/src/libupcall-pthread.so" "$dir/b/src/" || exit 1
export TMPDIR="$dir/tmp"
cat >"$dir/b/bench/micro" <<'P'
#!/bin/sh
sleep 0.5
echo "- 10 ns"
P
chmod +x "$dir/b/bench/micro"

# (Upcall's own runs fail here: they make no thread.)
expect 1 timeout 50 "$dir/b/cli/upcall" bench --quick --runs=1000 micro/yield micro/lock
for name in yield lock; do
	grep -qE "^  $name +glibc" "$dir/out" || fail "no row of $name"
	grep -qE "\\($name: [0-9]+ of 1000 runs, then the time of --quick was up\\)" "$dir/out" || fail "no word of $name"
done
# Those that are first leave time for the others.
runs=$(sed -n 's/^  (lock: \([0-9]*\) of .*/\1/p' "$dir/out")
[ "$runs" -gt 1 ] || fail "lock had $runs runs"
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
exit 0
