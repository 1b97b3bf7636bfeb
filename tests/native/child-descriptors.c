// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a child of vfork's, or of a bare clone's, closes or replaces before it executes a program is its own: threads of
 * the parent that wait for those descriptors hear nothing of it, but of what comes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "check.h"

static int ends[2], null;

static void by_close(void) { close(ends[0]); }
static void by_upcall_close(void) { upcall_close(ends[0]); }
static void by_dup2(void) { dup2(null, ends[0]); }
static void by_dup3(void) { dup3(null, ends[0], O_CLOEXEC); }

static void (*const ways[])(void) = { by_close, by_upcall_close, by_dup2, by_dup3 };
enum { WAYS = sizeof(ways) / sizeof(ways[0]), TIMES = 3 };

static char *const words[] = { (char *)"true", NULL };

static _Noreturn void leave(size_t way)
{
	ways[way]();
	execv("/bin/true", words);
	_exit(9);
}

static pid_t by_vfork(size_t way)
{
	pid_t child = vfork();

	if (child == 0)
		leave(way);
	return child;
}

static pid_t by_clone(size_t way)
{
	pid_t child = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);

	if (child == 0)
		leave(way);
	return child;
}

static pid_t (*const makers[])(size_t way) = { by_vfork, by_clone };

static void *read_one(void *arg)
{
	char c;

	for (int i = 0; i < TIMES; i++)
		CHECK_IS(upcall_read_until(ends[0], &c, 1, upcall_after(10000 * MS)), 1);
	return arg;
}

static void try(size_t maker, size_t way)
{
	CHECK_IS(pipe(ends), 0);
	upcall_t t = spawn(read_one, NULL);

	for (int i = 0; i < TIMES; i++) {
		int status = -1;

		upcall_sleep(2 * MS);
		pid_t child = makers[maker](way);

		CHECK(child > 0);
		CHECK_IS(waitpid(child, &status, 0), child);
		CHECK_IS(status, 0);
		CHECK_IS(upcall_write(ends[1], "x", 1), 1);
	}
	join(t);
	CHECK_IS(close(ends[0]), 0);
	CHECK_IS(close(ends[1]), 0);
}

static void *try_all(void *arg)
{
	for (size_t maker = 0; maker < 2; maker++)
		for (size_t way = 0; way < WAYS; way++)
			try(maker, way);
	return arg;
}

static void test(void)
{
	null = open("/dev/null", O_RDONLY);
	CHECK(null >= 0);
	/* The maker is a thread with a TLS block, as libc's calls in the child want one. */
	pthread_t t;

	CHECK_IS(pthread_create(&t, NULL, try_all, NULL), 0);
	CHECK_IS(pthread_join(t, NULL), 0);
	unsigned flags = test_flags;

	test_flags = 0;
	upcall_t maker = spawn(try_all, NULL);

	test_flags = flags;
	join(maker);
}
