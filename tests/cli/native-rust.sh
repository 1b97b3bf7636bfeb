#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Rust crate builds without a warning, offline, and passes its own tests, by itself and under
# `upcall run`.
. "$(dirname "$0")/lib.sh"

command -v cargo >/dev/null || skip "no cargo"
cargo --version >"$dir/out" 2>&1 || skip "cargo does not run: $(head -n 1 "$dir/out")"
mkdir "$dir/crate"
(cd "$root/bindings/rust" && cp -r Cargo.toml README.md build.rs src tests "$dir/crate") || fail "no crate"
cd "$dir/crate" || exit 1

export UPCALL_LIB_DIR="$BUILD/src" LD_LIBRARY_PATH="$BUILD/src" CARGO_TARGET_DIR="$dir/target"
export RUSTFLAGS="-D warnings" RUST_BACKTRACE=0
expect 0 cargo test --offline
says "test src/lib.rs"		# the examples in its documentation, too
ran=0
for program in "$dir"/target/debug/deps/*-*; do
	case ${program##*/} in
	*.*) continue ;;
	init-*) continue ;;	# too late there: the test's own thread has started ours
	esac
	ran=$((ran + 1))
	expect 0 "$UPCALL" run -- "$program"
done
[ $ran -ge 4 ] || fail "only $ran programs"
