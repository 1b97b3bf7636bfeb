#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What is installed for CMake: find_package knows the version and the target, for C and for C++, also
# where the folders have been moved since.
. "$(dirname "$0")/lib.sh"

command -v cmake >/dev/null || skip "no cmake"
command -v g++ >/dev/null || skip "no g++"
expect 0 meson install -C "$BUILD" --no-rebuild --destdir "$dir/root"
mv "$dir/root" "$dir/elsewhere"
prefix=$(dirname "$(find "$dir/elsewhere" -type d -name include)")

mkdir "$dir/src"
cp "$root/examples/native/hello.c" "$root/examples/native/philosophers.cc" "$dir/src"
cat >"$dir/src/CMakeLists.txt" <<'TXT'
cmake_minimum_required(VERSION 3.16)
project(uses C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(Upcall ${WANTED} REQUIRED)
message(STATUS "found Upcall ${Upcall_VERSION}")
foreach(source hello.c philosophers.cc)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE Upcall::upcall)
endforeach()
TXT

configure() {
	cmake -S "$dir/src" -B "$dir/build" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="$1"
}

expect 0 configure 0.1
version=$(sed -n "s/.*version: '\([0-9.]*\)'.*/\1/p" "$root/meson.build" | head -n 1)
says "found Upcall $version"
expect 0 cmake --build "$dir/build"
expect 0 "$dir/build/hello"
says "add up to"
expect 0 "$dir/build/philosophers"
says "meals were eaten"
rm -rf "$dir/build"
expect 1 configure 99
