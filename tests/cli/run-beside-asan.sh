#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# AddressSanitizer's library, preloaded into a program that was not built with it, before ours or behind it: the
# program's threads work, with no false report; and memory that is freed twice by a thread is reported.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v gcc) || skip 'no gcc'
asan=$("$compiler" -print-file-name=libasan.so)
[ -e "$asan" ] || skip 'no libasan'
asan=$(readlink -f "$asan")
library=$BUILD/src/libupcall-pthread.so

cat >"$dir/program.c" <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8, TURNS = 50 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int turn, sum, fds[2];

/* One after the other, with memory that the one before has made. */
static void *body(void *arg)
{
	static char *given;
	int me = (int)(long)arg;

	pthread_setspecific(key, malloc(100));
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&lock);
		while (turn % THREADS != me)
			pthread_cond_wait(&cond, &lock);
		free(given);
		given = strdup("made by one thread and freed by another");
		sum += given != NULL;
		turn++;
		pthread_cond_broadcast(&cond);
		if (turn == THREADS * TURNS)
			free(given);
		pthread_mutex_unlock(&lock);
	}
	char c;
	return read(fds[0], &c, 1) == 1 ? arg : NULL;
}

static void *wrong(void *arg)
{
	char *volatile p = malloc(10);

	free(p);
	free(p);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	(void)argv;
	if (pthread_key_create(&key, free) || pipe(fds))
		return 1;
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, body, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		if (write(fds[1], "x", 1) != 1)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	if (argc > 1 && pthread_create(&t[0], NULL, wrong, NULL) == 0)
		pthread_join(t[0], NULL);
	return sum != THREADS * TURNS;
}
C
"$compiler" -O1 -fno-builtin -pthread "$dir/program.c" -o "$dir/program" || fail 'cannot compile'

reports() {	# COMMAND...
	"$@" wrong >"$dir/out" 2>"$dir/err" && fail "found nothing: $*"
	grep -q 'attempting double-free' "$dir/err" && grep -q 'freed by thread T9 here' "$dir/err" ||
		fail "an incomplete report: $*"
}

env LD_PRELOAD="$asan" "$dir/program" >"$dir/out" 2>"$dir/err" || skip "libasan does not work here by itself"
reports env LD_PRELOAD="$asan" "$dir/program"
# Only the program has it, as a compiled command may be none that it bears with.
for order in "$library:$asan" "$asan:$library"; do
	expect 0 "$UPCALL" run env LD_PRELOAD="$order" "$dir/program"
	is_silent
	expect 0 "$UPCALL" run --vprocs=1 env LD_PRELOAD="$order" "$dir/program"
	is_silent
	reports "$UPCALL" run env LD_PRELOAD="$order" "$dir/program"
done
expect 0 env LD_PRELOAD="$asan" "$UPCALL" run "$dir/program"
is_silent
exit 0
