#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each installed header compiles by itself, without a warning, as C of 1999 and later.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
for header in "$root"/include/upcall/*.h; do
	[ -s "$header" ] || continue
	for standard in c99 gnu99 c11 gnu17; do
		echo "#include <upcall/${header##*/}>" >"$dir/program.c"
		expect 0 "$compiler" -std=$standard -Wall -Wextra -pedantic -Werror -I"$root/include" \
			-c -o "$dir/program.o" "$dir/program.c"
	done
done
exit 0
