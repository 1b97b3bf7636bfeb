#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs on the native API under AddressSanitizer, ThreadSanitizer and valgrind: what is right runs
# without a word, what is wrong is found.
. "$(dirname "$0")/lib.sh"
unset ASAN_OPTIONS TSAN_OPTIONS

cat >"$dir/wrong.c" <<'C'
#include <stdlib.h>
#include <upcall/upcall.h>

static long number;

static void *overflow(void *arg)
{
	volatile char on_stack[10];

	on_stack[(long)arg] = 1;
	return NULL;
}

static void *use_after_free(void *arg)
{
	volatile char *p = malloc(10);

	free((void *)p);
	upcall_yield();
	p[(long)arg % 10] = 1;
	return NULL;
}

static void *leak(void *arg)
{
	return malloc((size_t)arg) ? NULL : arg;
}

static void *race(void *arg)
{
	number += (long)arg;
	return NULL;
}

int main(int argc, char **argv)
{
	void *(*const fn[])(void *) = { overflow, use_after_free, leak, race };
	upcall_t thread[2];

	for (int i = 0; i < 2; i++)
		if (argc < 2 || upcall_create(&thread[i], NULL, fn[atoi(argv[1])], (void *)11))
			return 0;
	for (int i = 0; i < 2; i++)
		upcall_join(thread[i], NULL);
	return 0;
}
C

build() {	# SANITIZER SOURCE
	"${CC:-gcc}" -g -O1 ${1:+-fsanitize=$1} -I"$root/include" "$2" -o "$dir/program" -L"$BUILD/src" -lupcall \
		-Wl,-rpath,"$BUILD/src" >"$dir/out" 2>"$dir/err"
}

runs() {	# SANITIZER COMMAND... NAME: an example
	build "$1" "$root/examples/native/${*: -1}.c" || fail "does not build: ${*: -1}"
	expect 0 timeout 60 "${@:2:$#-2}" "$dir/program"
	is_silent
}

finds() {	# WHAT COMMAND...
	timeout 60 "${@:2}" >"$dir/out" 2>"$dir/err" && fail "found nothing: $*"
	grep -q "$1" "$dir/err" || fail "stderr lacks '$1'"
}

tried=0
for kind in address thread; do
	build $kind "$dir/wrong.c" && "$dir/program" 2>/dev/null || continue
	tried=$((tried + 1))
	for name in hello bank pipeline echo cache ticket-lock race; do
		runs $kind $name
		[ $kind = thread ] || runs $kind "$UPCALL" run -- $name
	done
	build $kind "$dir/wrong.c"
	if [ $kind = address ]; then
		finds 'SUMMARY.*stack-buffer-overflow' "$dir/program" 0
		finds 'SUMMARY.*heap-use-after-free' "$dir/program" 1
		finds '22 byte(s) leaked' "$dir/program" 2
	else
		finds 'data race' "$dir/program" 3
	fi
done
if command -v valgrind >/dev/null; then
	tried=$((tried + 1))
	for name in hello bank race; do		# hello has a thousand threads, at worst all at a time; valgrind's limit is 500
		runs '' valgrind -q --max-threads=1200 --error-exitcode=9 $name
	done
	build '' "$dir/wrong.c"
	finds 'Invalid write' valgrind -q --error-exitcode=9 "$dir/program" 1
fi
[ $tried -gt 0 ] || skip "neither sanitizers nor valgrind here"
