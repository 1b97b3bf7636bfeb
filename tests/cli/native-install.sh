#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What is installed for the native API: pkg-config finds it, C11 and C++ compile the headers
# without a warning, a program that was built so runs, and each page is found by the names that it has.
. "$(dirname "$0")/lib.sh"

command -v pkg-config >/dev/null || skip "no pkg-config"
expect 0 meson install -C "$BUILD" --no-rebuild --destdir "$dir/root"
pc=$(find "$dir/root" -name upcall.pc)
[ -f "$pc" ] || fail "no upcall.pc"
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$dir/root
flags=$(pkg-config --cflags --libs upcall) || fail "pkg-config does not know upcall"
lib=$(dirname "$(find "$dir/root" -name libupcall.so.0)")
warn="-Wall -Wextra -pedantic -Werror"

cp "$root/examples/native/hello.c" "$dir/hello.c"
expect 0 "${CC:-gcc}" -std=c11 $warn "$dir/hello.c" -o "$dir/hello" $flags
expect 0 env LD_LIBRARY_PATH="$lib" "$dir/hello"
says "add up to"
if command -v g++ >/dev/null; then
	expect 0 g++ -std=c++17 $warn "$root/examples/native/philosophers.cc" -o "$dir/philosophers" $flags
	expect 0 env LD_LIBRARY_PATH="$lib" "$dir/philosophers"
	says "meals were eaten"
fi

for header in "$dir"/root/usr/local/include/upcall/*.h; do
	echo "#include <upcall/$(basename "$header")>" >"$dir/one.c"
	expect 0 ${CC:-gcc} -std=c11 $warn -c "$dir/one.c" -o "$dir/one.o" $flags
	command -v g++ >/dev/null || continue
	cp "$dir/one.c" "$dir/one.cc"
	expect 0 g++ -std=c++17 $warn -c "$dir/one.cc" -o "$dir/one.o" $flags
done

man=$(dirname "$(find "$dir/root" -type d -name man3)")
pages=0
for page in "$man"/man3/*; do
	[ -s "$page" ] || fail "$page points nowhere"
	[ -L "$page" ] && continue
	for name in $(sed -n '/^\.Sh NAME/,/^\.Nd/s/^\.Nm \([^ ]*\).*/\1/p' "$page"); do
		found=$(cd "$man/man3" && ls "$name.3" "$name.3upcall" 2>/dev/null)
		[ -n "$found" ] && [ "$(readlink -f "$man/man3/$found")" = "$(readlink -f "$page")" ] || fail "no page for $name"
		pages=$((pages + 1))
	done
done
[ $pages -ge 160 ] || fail "only $pages names in the manual"
if man -M "$man" -w upcall >/dev/null 2>&1; then
	for name in thr_create mutex_lock sema_reltimedwait th_fork upcall_join; do
		expect 0 man -M "$man" -w "$name"
		says "$man/man3/upcall"
	done
fi
