#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# <upcall/upcall.hpp>: a program that uses all of it compiles without a warning and runs, by itself
# and under `upcall run`.
. "$(dirname "$0")/lib.sh"

command -v g++ >/dev/null || skip "no g++"
warn='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror'
expect 0 g++ -std=c++17 $warn -I"$root/include" "$root/tests/cli/native-hpp.cc" \
	-o "$dir/hpp" -L"$BUILD/src" -lupcall -Wl,-rpath,"$BUILD/src"
expect 0 timeout 30 "$dir/hpp"
expect 0 timeout 30 "$UPCALL" run -- "$dir/hpp"

# An exception that leaves a thread's function ends the program.
for kind in usual bound; do
	expect 134 "$dir/hpp" $kind
	expect 134 "$UPCALL" run -- "$dir/hpp" $kind
done

# Under a tool upcall_exit unwinds the stack.
if g++ -std=c++17 -fsanitize=address -I"$root/include" "$root/tests/cli/native-hpp.cc" -o "$dir/asan" \
	-L"$BUILD/src" -lupcall -Wl,-rpath,"$BUILD/src" 2>/dev/null && "$dir/asan" usual 2>&1 | grep -q terminate; then
	expect 0 timeout 60 "$dir/asan"
fi
