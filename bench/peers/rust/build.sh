#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: build.sh CARGO SOURCES FOLDER OUTPUT...: each output is the program peer-NAME.
set -e
cargo=$1 sources=$2 folder=$3
shift 3
"$cargo" build --quiet --release --locked --manifest-path "$sources/Cargo.toml" --target-dir "$folder"
for output; do
	cp "$folder/release/peer-$(basename "$output")" "$output"
done
