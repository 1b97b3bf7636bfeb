#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs that a preloaded library cannot reach run all the same, on kernel threads, and one line
# says so: static, setuid, with another C library, for another processor.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'

cat >"$dir/program.c" <<C
#include <stdio.h>
#include <stdlib.h>
int main(void) { puts(getenv("LD_PRELOAD") ? "preloaded" : "plain"); return 5; }
C
"$compiler" -o "$dir/dynamic" "$dir/program.c" || fail 'cannot compile'
expect 5 "$UPCALL" run "$dir/dynamic"
says preloaded
is_silent

if "$compiler" -static -o "$dir/static" "$dir/program.c" 2>/dev/null; then
	expect 5 "$UPCALL" run "$dir/static"
	says plain
	complains 'runs on plain kernel threads: it is statically linked'
	# A script is what its interpreter is.
	printf '#!%s/static\n' "$dir" >"$dir/script"
	chmod +x "$dir/script"
	expect 5 "$UPCALL" run "$dir/script"
	complains 'it is statically linked'
fi

# A dynamic linker of another name is another C library; one that is not there is an error.
mkdir "$dir/lib"
cp "$(readelf -l "$dir/dynamic" | sed -n 's/.*interpreter: \(.*\)]/\1/p')" "$dir/lib/ld-other.so.1"
"$compiler" -Wl,--dynamic-linker="$dir/lib/ld-other.so.1" -o "$dir/other" "$dir/program.c"
expect 5 "$UPCALL" run "$dir/other"
says plain
complains 'is not glibc'
rm "$dir/lib/ld-other.so.1"
expect 127 "$UPCALL" run "$dir/other"
complains 'its dynamic linker'

# The machine is a half-word at byte 18 of the file: 183 is ARM64, which does not start here.
cp "$dir/dynamic" "$dir/foreign"
printf '\267\0' | dd of="$dir/foreign" bs=1 seek=18 conv=notrunc status=none
"$UPCALL" run "$dir/foreign" >"$dir/out" 2>"$dir/err"
[ $? -eq 126 ] || fail 'a foreign program'
grep -q 'ARM64' "$dir/err" || fail 'stderr does not name the machine'

# An object file.
"$compiler" -c -o "$dir/object" "$dir/program.c"
chmod +x "$dir/object"
expect 126 "$UPCALL" run "$dir/object"
complains 'an object or core file'

# With no_new_privs it is no setuid program.
if [ "$(id -u)" -eq 0 ] && ! grep -qE 'NoNewPrivs:.*1' /proc/self/status; then
	chown 65534 "$dir/dynamic"
	chmod 4755 "$dir/dynamic"
	chmod 755 "$dir"
	expect 5 "$UPCALL" run "$dir/dynamic"
	says plain
	complains 'it is setuid, setgid or has capabilities'
fi
# valgrind's checkers of races, by option or environment; memcheck is not one.
printf '#!/bin/sh\nexec "%s/dynamic"\n' "$dir" >"$dir/valgrind"
chmod +x "$dir/valgrind"
expect 5 "$UPCALL" run "$dir/valgrind" --tool=helgrind "$dir/dynamic"
says plain
complains 'helgrind and drd watch'
expect 5 env VALGRIND_OPTS=--tool=drd "$UPCALL" run "$dir/valgrind" "$dir/dynamic"
says plain
expect 5 "$UPCALL" run "$dir/valgrind" "$dir/dynamic" --tool=helgrind
is_silent
exit 0
