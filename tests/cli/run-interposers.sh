#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program whose calls another library counts, or it itself does, and hands on by dlsym(RTLD_NEXT): preloaded
# before ours or behind it, linked with the program, or in the executable.  All work, on user-level threads; and
# each call is counted, as on glibc, where the one that counts comes first.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
library=$BUILD/src/libupcall-pthread.so

cat >"$dir/count.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_int created, began, locked, have_read, waited, slept;
static __thread int is_ours;

struct thread {
	void *(*start)(void *);
	void *arg;
};

static void *begin(void *arg)
{
	struct thread t = *(struct thread *)arg;

	free(arg);
	began += !is_ours;
	is_ours = 1;
	return t.start(t.arg);
}

int pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	struct thread *closure = malloc(sizeof(*closure));

	created++;
	*closure = (struct thread){ start, arg };
	return NEXT(pthread_create)(t, attr, begin, closure);
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
	locked++;
	return NEXT(pthread_mutex_lock)(m);
}

ssize_t read(int fd, void *to, size_t n)
{
	have_read++;
	return NEXT(read)(fd, to, n);
}

int sem_wait(sem_t *s)
{
	waited++;
	return NEXT(sem_wait)(s);
}

int nanosleep(const struct timespec *span, struct timespec *rest)
{
	slept++;
	return NEXT(nanosleep)(span, rest);
}

__attribute__((destructor)) static void tell(void)
{
	printf("created %d began %d locked %d read %d waited %d slept %d\n", created, began, locked, have_read,
	       waited, slept);
	fflush(stdout);
}
C
cat >"$dir/program.c" <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, LOCKS = 100, WAITS = 10, SLEEPS = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static int fds[2], sum;

static void *body(void *arg)
{
	struct timespec ms = { 0, 1000000 };
	char c = 0;

	if (read(fds[0], &c, 1) != 1 || c != 'x')
		return NULL;
	for (int i = 0; i < LOCKS; i++) {
		pthread_mutex_lock(&lock);
		sum++;
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < WAITS; i++)
		while (sem_wait(&sem))
			;
	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&ms, NULL);
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	int joined = 0;

	if (pipe(fds) || sem_init(&sem, 0, 0))
		return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, body, &sum))
			return 1;
	for (int i = 0; i < THREADS; i++)
		if (write(fds[1], "x", 1) != 1)
			return 1;
	for (int i = 0; i < THREADS * WAITS; i++)
		sem_post(&sem);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		joined += pthread_join(t[i], &result) == 0 && result == &sum;
	}
	printf("sum %d joined %d\n", sum, joined);
	return 0;
}
C
"$compiler" -O2 -pthread -shared -fPIC "$dir/count.c" -o "$dir/libcount.so" -ldl &&
	"$compiler" -O2 -pthread "$dir/program.c" -o "$dir/plain" &&
	"$compiler" -O2 -pthread "$dir/program.c" -o "$dir/linked" -Wl,--no-as-needed,-rpath,"$dir" -L"$dir" -lcount &&
	"$compiler" -O2 -pthread -rdynamic "$dir/program.c" "$dir/count.c" -o "$dir/own" -ldl || fail 'cannot compile'

works() {	# COMMAND...
	expect 0 "$@"
	says 'sum 800 joined 8'
}

all_counted() {
	says 'created 8 began 8 locked 800 read 8 waited 80 slept 16'
}

is_on_user_threads() {	# [MODE]
	[ "$1" = --bound ] || [ "$(sed -n 's/^  threads  *//p' "$dir/err")" = 9 ] || fail "no user-level threads: $1"
}

works env LD_PRELOAD="$dir/libcount.so" "$dir/plain"
all_counted
for program in linked own; do
	works "$dir/$program"
	all_counted
done
for mode in '' --vprocs=1 --bound; do
	works "$UPCALL" run --stats $mode env LD_PRELOAD="$dir/libcount.so:$library" "$dir/plain"
	all_counted
	is_on_user_threads $mode
	works "$UPCALL" run --stats $mode "$dir/own"
	all_counted
	is_on_user_threads $mode
	# Behind ours it sees what ours leaves to libc.
	works env LD_PRELOAD="$dir/libcount.so" "$UPCALL" run --stats $mode "$dir/plain"
	is_on_user_threads $mode
	works "$UPCALL" run --stats $mode "$dir/linked"
	is_on_user_threads $mode
done
exit 0
