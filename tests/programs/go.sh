#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Go with cgo, whose runtime calls the kernel without libc: a program, and a library in CPython.
. "$(dirname "$0")/lib.sh"
need go golang-go
need gcc gcc
need "$python" python3
export GO111MODULE=off GOFLAGS= CGO_ENABLED=1
go build -o "$work/cgo" "$programs/src/cgo.go" >"$work/build.log" 2>&1 &&
	go build -buildmode=c-shared -o "$work/libcgo.so" "$programs/src/cgo.go" >>"$work/build.log" 2>&1 ||
	{ logged "$work/build.log"; fail "go build"; }

with_go() {
	must "$work/cgo" >out
	equal "program" "$(head -n 1 out)" "goroutines and threads 1900"
	cat out
	must "$python" "$programs/src/cgo.py" "$work/libcgo.so" >out
	equal "library" "$(head -n 1 out)" 1900
	cat out
}
twice with_go
