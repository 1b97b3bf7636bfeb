#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Options become environment variables; bad ones are an error of ours, 125, in one line.
. "$(dirname "$0")/lib.sh"
env=$(command -v env)

expect 0 "$UPCALL" run --vprocs=3 --bound --scope --slice=5ms --policy=fifo --source=perf --io epoll \
	--stats="$dir/stats" "$env"
variable UPCALL_VPROCS 3
variable UPCALL_BOUND 1
variable UPCALL_SCOPE 1
variable UPCALL_SLICE 5ms
variable UPCALL_POLICY fifo
variable UPCALL_SOURCE perf
variable UPCALL_IO epoll
variable UPCALL_STATS "$dir/stats"
# What the library has read, it takes out of the environment of children that are to run plainly.
expect 0 "$UPCALL" run --vprocs=3 --slice=5ms --no-children "$env"
grep -qE '^(UPCALL_(VPROCS|SLICE|CHILDREN)|LD_PRELOAD)=' "$dir/out" && fail 'children are to run plainly'

# Options end at the program's name: what follows is its own.
expect 0 "$UPCALL" run --slice=off -- "$env" --version
says env
expect 0 "$UPCALL" run echo --vprocs=7
says --vprocs=7
# Nothing asked, nothing set; what is set stays.
expect 0 "$UPCALL" run "$env"
grep -qE '^UPCALL_(VPROCS|BOUND|SCOPE|SLICE|POLICY|SOURCE|IO|STATS|CHILDREN)=' "$dir/out" &&
	fail 'a variable from nowhere'
expect 0 env UPCALL_VPROCS=1 "$UPCALL" run "$env"
variable UPCALL_VPROCS 1

expect 125 "$UPCALL" run
complains 'no program given'
expect 125 "$UPCALL" run --
complains 'no program given'
for bad in --vprocs=0 --vprocs=-1 --vprocs=two --vprocs=3x --vprocs=257 --slice=10 --slice=ms \
	--slice=0ms --slice=-1ms --slice=10h --policy=lottery --source=magic --io=aio --frobnicate --bound=yes; do
	expect 125 "$UPCALL" run "$bad" true
	complains "${bad#--*=}"
done
# So are variables, and names that nothing goes by; without the command the library says so, the first one of a family.
for bad in VPROCS=two VPROCS=257 SLICE=10 SLICE=10h POLICY=lottery SOURCE=magic IO=aio DISABLE=perf,rseq; do
	expect 125 env UPCALL_$bad "$UPCALL" run true
	complains "UPCALL_${bad%%=*} wants"
	[ $bad = IO=aio ] && continue		# which the library does not read
	expect 0 env UPCALL_$bad LD_PRELOAD="$BUILD/src/libupcall-pthread.so" sh -c 'env; env'
	complains "UPCALL_${bad%%=*} wants"
	grep -q "^UPCALL_${bad%%=*}=" "$dir/out" && fail "$bad is passed on"
done
expect 0 env UPCALL_DISABLE=perf,,bpf, UPCALL_SLICE= UPCALL_VPROCS= "$UPCALL" run true
is_silent
# What the statistics are to be written to is tried before the program runs, and nothing is left of that.
expect 125 "$UPCALL" run --stats="$dir/none/stats" echo ran
complains "--stats=$dir/none/stats: No such file"
[ ! -s "$dir/out" ] || fail 'it ran'
expect 125 "$UPCALL" run --stats="$dir" true
complains 'Is a directory'
expect 127 "$UPCALL" run --stats="$dir/tried" no-such-program-here
[ ! -e "$dir/tried" ] || fail 'a file is left'
expect 125 "$UPCALL" run --vprocs
complains 'wants a value'
exit 0
