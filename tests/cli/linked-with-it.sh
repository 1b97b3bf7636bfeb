#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A pthreads program that is linked with libupcall-pthread runs on user-level threads without `upcall run`: by
# pkg-config, by CMake, where only a library of its makes threads, and under `upcall run` as well.
. "$(dirname "$0")/lib.sh"

command -v pkg-config >/dev/null || skip "no pkg-config"
expect 0 meson install -C "$BUILD" --no-rebuild --destdir "$dir/root"
pc=$(find "$dir/root" -name upcall-pthread.pc)
[ -f "$pc" ] || fail "no upcall-pthread.pc"
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$dir/root
flags=$(pkg-config --libs upcall-pthread) || fail "pkg-config does not know upcall-pthread"
lib=$(dirname "$(find "$dir/root" -name libupcall-pthread.so)")

runs_on_few() {	# PROGRAM: has fewer kernel threads than threads, and says so
	expect 0 env LD_LIBRARY_PATH="$lib" "$@"
	says fewer
	is_silent
}

# Without it, each thread is a kernel thread.
program=$root/tests/cli/one-to-one.c
expect 0 "${CC:-gcc}" "$program" -o "$dir/plain" -pthread
expect 0 "$dir/plain"
says 'one each'

expect 0 "${CC:-gcc}" "$program" -o "$dir/linked" $flags -pthread
runs_on_few "$dir/linked"
runs_on_few "$UPCALL" run "$dir/linked"
# What the environment says counts; what the program runs has nothing of it.
expect 0 env LD_LIBRARY_PATH="$lib" UPCALL_BOUND=1 "$dir/linked"
says 'one each'
printf '#include <unistd.h>\nint main(void) { return execlp("env", "env", (char *)0); }\n' >"$dir/exec.c"
expect 0 "${CC:-gcc}" "$dir/exec.c" -o "$dir/exec" $flags
expect 0 env LD_LIBRARY_PATH="$lib" "$dir/exec"
! grep -q LD_PRELOAD "$dir/out" || fail 'what it executes has LD_PRELOAD'

# A program that itself names none of its functions, and whose linker leaves out what is not named.
sed 's/^int main(int argc, char \*\*argv)/int threads(int argc, char **argv)/' "$program" >"$dir/threads.c"
printf 'int threads(int, char **);\nint main(int argc, char **argv) { return threads(argc, argv); }\n' >"$dir/calls.c"
expect 0 "${CC:-gcc}" -shared -fPIC "$dir/threads.c" -o "$dir/libthreads.so" -pthread
expect 0 "${CC:-gcc}" "$dir/calls.c" -o "$dir/calls" -Wl,--as-needed -L"$dir" -lthreads -Wl,-rpath,"$dir" $flags
runs_on_few "$dir/calls"

command -v cmake >/dev/null || exit 0
prefix=$(dirname "$(find "$dir/root" -type d -name include)")
mkdir "$dir/src"
cp "$program" "$dir/src/program.c"
cat >"$dir/src/CMakeLists.txt" <<'TXT'
cmake_minimum_required(VERSION 3.16)
project(uses C)
find_package(Threads REQUIRED)
find_package(Upcall 0.1 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE Upcall::pthread Threads::Threads)
TXT
expect 0 cmake -S "$dir/src" -B "$dir/build" -DCMAKE_PREFIX_PATH="$prefix"
expect 0 cmake --build "$dir/build"
expect 0 "$dir/build/program"
says fewer
