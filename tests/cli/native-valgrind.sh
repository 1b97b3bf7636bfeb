#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs on the native API under valgrind: what is right runs without a word, what is wrong is found.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/native-tools.lib"

command -v valgrind >/dev/null || skip "no valgrind"
valgrind -q true 2>"$dir/err" || skip "valgrind does not run: $(sed -n 2p "$dir/err")"
for name in hello bank race; do		# hello has a thousand threads, at worst all at a time; valgrind's limit is 500
	runs '' valgrind -q --max-threads=1200 --error-exitcode=9 $name
done
build '' "$dir/wrong.c"
finds 'Invalid write' valgrind -q --error-exitcode=9 "$dir/program" 1
