#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A library of libdispatch's name finds its threads in /proc by the numbers that gettid gives, linked with the program or
# loaded while other threads run.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'

cat >"$dir/dispatch.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static sem_t is_known, is_over;
static int tid;

static void *worker(void *arg)
{
	tid = (int)syscall(SYS_gettid);
	sem_post(&is_known);
	sem_wait(&is_over);
	return arg;
}

/* The state of a worker that waits, as the kernel tells it; 0: there is none. */
int state_of_worker(void);
int state_of_worker(void)
{
	char path[64], text[256] = "";
	pthread_t t;

	sem_init(&is_known, 0, 0);
	sem_init(&is_over, 0, 0);
	pthread_create(&t, NULL, worker, NULL);
	sem_wait(&is_known);
	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	char state = 0;
	int fd = open(path, O_RDONLY);

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		sscanf(text, "%*d %*s %c", &state);
	close(fd);
	sem_post(&is_over);
	pthread_join(t, NULL);
	return state;
}
C
cat >"$dir/linked.c" <<'C'
int state_of_worker(void);

int main(void)
{
	return !state_of_worker();
}
C
cat >"$dir/late.c" <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static void *sleeper(void *arg)
{
	usleep(100000);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;
	void *library;

	(void)argc;
	pthread_create(&t, NULL, sleeper, NULL);
	library = dlopen(argv[1], RTLD_NOW);
	int (*state)(void) = library ? (int (*)(void))dlsym(library, "state_of_worker") : NULL;
	int found = state ? state() : 0;

	pthread_join(t, NULL);
	return !found;
}
C
"$compiler" -shared -fPIC -pthread "$dir/dispatch.c" -o "$dir/libdispatch.so" -Wl,-soname,libdispatch.so &&
	"$compiler" "$dir/linked.c" -o "$dir/linked" -L"$dir" -ldispatch -Wl,-rpath,"$dir" &&
	"$compiler" -pthread "$dir/late.c" -o "$dir/late" -ldl || fail 'cannot compile'
for how in env "$UPCALL run" "$UPCALL run --vprocs=1"; do
	expect 0 $how "$dir/linked"
	expect 0 $how "$dir/late" "$dir/libdispatch.so"
done
