#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each installed header compiles by itself, without a warning of the many that may be asked for, as C of 1999 and later
# and as C++ of 2017 and later.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
warn='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror'
with_c="$warn -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition"
with_cxx="$warn -Wold-style-cast"

for header in "$root"/include/upcall/*.h "$root"/include/upcall/*.hpp; do
	header=${header##*/}
	case $header in *.h) echo "#include <upcall/$header>" >"$dir/$header.c" ;; esac
	echo "#include <upcall/$header>" >"$dir/$header.cc"
done
[ "$(ls "$dir"/*.cc | wc -l)" -ge 10 ] || fail 'too few headers'

compile() {	# COMPILER FLAGS... FILES...
	! command -v "$1" >/dev/null || expect 0 "$@" -I"$root/include" -fsyntax-only
}
for standard in c99 gnu99 c11 gnu17; do
	compile "$compiler" -std=$standard $with_c "$dir"/*.c
done
compile clang -std=c11 $with_c "$dir"/*.c
for standard in c++17 c++20; do
	compile g++ -std=$standard $with_cxx "$dir"/*.cc
done
compile clang++ -std=c++17 $with_cxx "$dir"/*.cc
exit 0
