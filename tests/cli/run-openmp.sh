#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Threads of OpenMP that wait hold no kernel threads; where libgomp is to be left alone they do, and the
# results are the same; so are they where a program loads it while other threads run, as CPython does.
. "$(dirname "$0")/lib.sh"
echo 'int main(void) { return 0; }' | cc -fopenmp -x c - -o "$dir/none" 2>"$dir/err" || skip 'no OpenMP here'
cat >"$dir/team.c" <<'C'
#include <omp.h>
#include <stdio.h>

int team(void);

/* All but one wait at each barrier for the one that is last. */
int team(void)
{
	int sum = 0, wrong = 0;

	#pragma omp parallel num_threads(32) reduction(+ : wrong)
	for (int i = 0; i < 100; i++) {
		#pragma omp critical
		sum++;
		#pragma omp barrier
		wrong += sum != 32 * (i + 1);
		#pragma omp barrier
	}
	printf("sum %d wrong %d\n", sum, wrong);
	return 0;
}
C
cat >"$dir/late.c" <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static void *sleeper(void *arg)
{
	sleep(1);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, sleeper, NULL);
	void *lib = dlopen(argv[1], RTLD_NOW);
	int (*team)(void) = lib ? (int (*)(void))dlsym(lib, "team") : NULL;
	int status = team ? team() : argc;

	pthread_join(t, NULL);
	return status;
}
C
expect 0 cc -O2 -fopenmp "$dir/team.c" -x c - -o "$dir/team" <<'C'
int team(void);
int main(void) { return team(); }
C
expect 0 cc -O2 -fopenmp -shared -fPIC "$dir/team.c" -o "$dir/libteam.so"
expect 0 cc -O2 -pthread "$dir/late.c" -o "$dir/late"

kernel_threads() {
	sed -n 's/^ *activations_peak *//p' "$dir/err"
}

expect 0 "$dir/team"
says 'sum 3200 wrong 0'
expect 0 env UPCALL_DISABLE=openmp "$UPCALL" run --stats "$dir/team"
says 'sum 3200 wrong 0'
many=$(kernel_threads)
[ "$many" -gt 16 ] || fail "$many kernel threads: nobody waited"
expect 0 "$UPCALL" run --stats "$dir/team"
says 'sum 3200 wrong 0'
few=$(kernel_threads)
[ "$few" -le 12 ] || fail "$few kernel threads, and $many without us"
expect 0 "$UPCALL" run --stats "$dir/late" "$dir/libteam.so"
says 'sum 3200 wrong 0'
few=$(kernel_threads)
[ "$few" -le 12 ] || fail "$few kernel threads where libgomp comes late"
expect 0 "$UPCALL" run --bound "$dir/team"
says 'sum 3200 wrong 0'
