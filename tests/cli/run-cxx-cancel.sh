#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Cancellation unwinds C++ frames as with glibc's threads: three programs, natively and in four modes.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cxx=$(command -v g++) || skip 'no g++'

echo '#include <stdatomic.h>' >"$dir/probe.cc"
"$cxx" -std=gnu++23 -fsyntax-only "$dir/probe.cc" 2>"$dir/err" || skip 'this g++ has no <stdatomic.h>'
for program in destructors in-a-handler not-rethrown; do
	"$cxx" -std=gnu++23 -O2 -D_GNU_SOURCE -o "$dir/$program" "$here/cancel-$program.cc" -pthread ||
		fail "cannot compile $program"
	expect 0 "$dir/$program"
	expect 0 "$UPCALL" run "$dir/$program"
	expect 0 "$UPCALL" run --vprocs=1 "$dir/$program"
	expect 0 "$UPCALL" run --bound "$dir/$program"
	expect 0 env UPCALL_DISABLE=perf "$UPCALL" run "$dir/$program"
done
