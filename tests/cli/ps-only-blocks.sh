#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A thread that does nothing but block in the kernel gets a kernel thread of its own; one that also sleeps does not.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"

"$compiler" -O2 -o "$dir/only-blocks" "$here/only-blocks.c" -pthread || fail 'cannot compile'
situation "$UPCALL" run "$dir/only-blocks" "$dir"

# names STATE: of the lockers that are in it
names() {
	"$UPCALL" ps $pid | awk -v state="$1" '($2 == "blocks" || $2 == "sleeps") && $3 == state { print $2 }' | sort | xargs
}

for _ in $(seq 450); do
	[ "$(names bound)" = 'blocks blocks' ] && break
	sleep 0.1
done
sleep 1
expect 0 "$UPCALL" ps $pid
[ "$(names bound)" = 'blocks blocks' ] || fail "bound: $(names bound)"
