#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# xz -T: blocks compressed by 8 threads bit for bit as on glibc, and given back by one and by many.
. "$(dirname "$0")/lib.sh"
need xz xz-utils
sample "$work/in"
want=$(sum <"$work/in")

xz_round_trip() {
	must xz -T8 -2 --block-size=512KiB -c "$work/in" >out.xz
	sum <out.xz
	equal "xz -d -T1" "$(xz -dc -T1 out.xz | sum)" "$want"
	must xz -d -T8 -c out.xz >out
	equal "xz -d -T8" "$(sum <out)" "$want"
}
twice xz_round_trip
