#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs under valgrind run without false reports: all threads are bound, and under drd and helgrind plain ones.
. "$(dirname "$0")/lib.sh"

command -v valgrind >/dev/null || skip "no valgrind"
valgrind -q true 2>"$dir/err" || skip "valgrind does not run: $(sed -n 2p "$dir/err")"
${CC:-cc} "$root/tests/cli/adds.c" -o "$dir/t" -pthread || fail "does not build"
expect 0 "$UPCALL" run valgrind -q --error-exitcode=9 "$dir/t"
expect 0 "$UPCALL" run valgrind --tool=drd -q --error-exitcode=9 "$dir/t"
expect 0 "$UPCALL" run sh -c 'valgrind --tool=helgrind -q --error-exitcode=9 "$1" && :' - "$dir/t"
expect 0 valgrind --tool=drd -q --error-exitcode=9 --trace-children=yes "$UPCALL" run "$dir/t"
