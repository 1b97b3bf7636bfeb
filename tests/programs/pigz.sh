#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# pigz: compressed by 8 threads bit for bit as on glibc; gzip and pigz give the input back.
. "$(dirname "$0")/lib.sh"
need pigz pigz
sample "$work/in"
want=$(sum <"$work/in")

pigz_round_trip() {
	local options
	for options in "-p 8" "-p 8 -i -b 64" "-p 2 -1"; do
		# shellcheck disable=SC2086
		must pigz $options -c "$work/in" >out.gz
		sum <out.gz
		equal "gzip -d after $options" "$(gzip -dc out.gz | sum)" "$want"
		must pigz -dc out.gz >out
		equal "pigz -d after $options" "$(sum <out)" "$want"
	done
}
twice pigz_round_trip
