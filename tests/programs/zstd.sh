#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# zstd -T: compressed by 8 threads bit for bit as on glibc, and given back.
. "$(dirname "$0")/lib.sh"
need zstd zstd
sample "$work/in"
want=$(sum <"$work/in")

zstd_round_trip() {
	local options
	for options in "-T8 -3" "-T4 -9 -B1MiB" "-T2 -1 --long"; do
		# shellcheck disable=SC2086
		must zstd -q $options -c "$work/in" >out.zst
		sum <out.zst
		must zstd -q -dc out.zst >out
		equal "after $options" "$(sum <out)" "$want"
	done
	equal "zstd on glibc" "$(zstd -q -dc out.zst | sum)" "$want"
}
twice zstd_round_trip
