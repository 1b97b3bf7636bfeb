#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# x264 with frame threads, slice threads and a look-ahead thread: bit for bit as on glibc.
. "$(dirname "$0")/lib.sh"
need x264 x264
seq 1 2000000 | head -c $((352 * 288 * 3 / 2 * 48)) >"$work/in.yuv"

x264_bits() {
	local options
	for options in "--threads 8" "--threads 4 --sliced-threads" "--threads 3 --lookahead-threads 2"; do
		# shellcheck disable=SC2086
		must x264 --quiet $options --preset veryfast --demuxer raw --input-res 352x288 \
			-o out.264 "$work/in.yuv" 2>x264.log
		[ -s out.264 ] || fail "no output with $options"
		sum <out.264
	done
}
twice x264_bits
