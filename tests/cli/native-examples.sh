#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The native API's examples: each says by its status whether it did what it says, by itself and
# under `upcall run`.
. "$(dirname "$0")/lib.sh"

for source in "$root"/examples/native/*.c*; do
	name=${source##*/}
	program=$BUILD/examples/native-${name%.*}
	[ -x "$program" ] || [ "${name##*.}" = c ] || continue	# no C++ compiler was there
	expect 0 timeout 30 "$program"
	[ -s "$dir/out" ] || fail "$program says nothing"
	expect 0 timeout 30 "$UPCALL" run -- "$program"
done
