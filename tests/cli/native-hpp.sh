#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# <upcall/upcall.hpp>: a program that uses all of it compiles without a warning and runs, by itself
# and under `upcall run`.
. "$(dirname "$0")/lib.sh"

command -v g++ >/dev/null || skip "no g++"
expect 0 g++ -std=c++17 -Wall -Wextra -Wshadow -pedantic -Werror -I"$root/include" "$root/tests/cli/native-hpp.cc" \
	-o "$dir/hpp" -L"$BUILD/src" -lupcall -Wl,-rpath,"$BUILD/src"
expect 0 timeout 30 "$dir/hpp"
expect 0 timeout 30 "$UPCALL" run -- "$dir/hpp"
