#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the program finds in its environment, and what it does not: the process is its own.
. "$(dirname "$0")/lib.sh"
env=$(command -v env)
library=$BUILD/src/libupcall-pthread.so

expect 0 "$UPCALL" run "$env"
variable LD_PRELOAD "$library"
variable GLIBC_TUNABLES glibc.pthread.rseq=0

# Ours comes first, the others stay; once is enough.
libc=$(ldd "$env" | sed -n 's/.* \(\/[^ ]*libc\.so\.6\) .*/\1/p')
expect 0 env LD_PRELOAD="$libc" "$UPCALL" run "$env"
variable LD_PRELOAD "$library:$libc"
expect 0 "$UPCALL" run "$UPCALL" run "$env"
variable LD_PRELOAD "$library"
expect 0 env GLIBC_TUNABLES=glibc.malloc.arena_max=2 "$UPCALL" run "$env"
variable GLIBC_TUNABLES glibc.malloc.arena_max=2:glibc.pthread.rseq=0
expect 0 env GLIBC_TUNABLES=glibc.pthread.rseq=1 "$UPCALL" run "$env"
variable GLIBC_TUNABLES glibc.pthread.rseq=1:glibc.pthread.rseq=0

# The library is mapped into the program.
expect 0 "$UPCALL" run cat /proc/self/maps
says "$library"

# The same process: PID, exit status, death by signal, standard input, descriptors.
expect 0 sh -c 'echo $$; exec "$1" run sh -c "echo \$\$"' sh "$UPCALL"
[ "$(sort -u "$dir/out" | wc -l)" -eq 1 ] || fail 'another PID'
expect 7 "$UPCALL" run sh -c 'exit 7'
expect 137 sh -c '"$1" run sh -c "kill -9 \$\$"; exit $?' sh "$UPCALL"
expect 0 sh -c 'echo words | "$1" run cat' sh "$UPCALL"
says words
ls /proc/self/fd 8</dev/null >"$dir/given" 2>&1
"$UPCALL" run ls /proc/self/fd 8</dev/null >"$dir/out" 2>&1
cmp -s "$dir/given" "$dir/out" || fail 'other descriptors than given'

# argv[0] is the word that was given.
expect 0 "$UPCALL" run bash -c 'tr "\0" " " </proc/$$/cmdline'
grep -q '^bash ' "$dir/out" || fail 'argv[0] changed'
exit 0
