#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# pbzip2: compressed by 8 threads bit for bit as on glibc; bzip2 and pbzip2 give the input back.
. "$(dirname "$0")/lib.sh"
need pbzip2 pbzip2
need bzip2 bzip2
sample "$work/in"
want=$(sum <"$work/in")

pbzip2_round_trip() {
	must pbzip2 -p8 -b3 -c "$work/in" >out.bz2
	sum <out.bz2
	equal "bzip2 -d" "$(bzip2 -dc out.bz2 | sum)" "$want"
	must pbzip2 -d -p8 -c out.bz2 >out
	equal "pbzip2 -d" "$(sum <out)" "$want"
	must pbzip2 -p4 -c <"$work/in" >piped.bz2
	equal "from a pipe" "$(bzip2 -dc piped.bz2 | sum)" "$want"
}
twice pbzip2_round_trip
