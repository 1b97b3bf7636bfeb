// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program that a thread executes, by whichever call and after fork or vfork, may use the processors that ours may,
 * not just that of a vproc; and vfork's parent is what it was before.
 */
#include <fcntl.h>
#include <stdatomic.h>

#include "check.h"

#define GREP "/bin/grep"
#define FILE_OF_IT "/proc/self/status"

static char pattern[4096];
static char *const words[] = { (char *)"grep", (char *)"-qx", pattern, (char *)FILE_OF_IT, NULL };
static char *const environment[] = { (char *)"PATH=/bin:/usr/bin", NULL };

static void by_execve(void) { execve(GREP, words, environment); }
static void by_execv(void) { execv(GREP, words); }
static void by_execvp(void) { execvp("grep", words); }
static void by_execvpe(void) { execvpe("grep", words, environment); }
static void by_execl(void) { execl(GREP, "grep", "-qx", pattern, FILE_OF_IT, NULL); }
static void by_execlp(void) { execlp("grep", "grep", "-qx", pattern, FILE_OF_IT, NULL); }
static void by_execle(void) { execle(GREP, "grep", "-qx", pattern, FILE_OF_IT, NULL, environment); }
static void by_fexecve(void) { fexecve(open(GREP, O_RDONLY | O_CLOEXEC), words, environment); }

static const struct {
	const char *name;
	void (*leave)(void);
} ways[] = {
	{ "execve", by_execve }, { "execv", by_execv }, { "execvp", by_execvp }, { "execvpe", by_execvpe },
	{ "execl", by_execl }, { "execlp", by_execlp }, { "execle", by_execle }, { "fexecve", by_fexecve },
};

/* The line of our own, before there are threads. */
static void read_affinity(void)
{
	FILE *f = fopen(FILE_OF_IT, "re");

	CHECK(f != NULL);
	while (fgets(pattern, sizeof(pattern), f) && strncmp(pattern, "Cpus_allowed:", 13))
		;
	fclose(f);
	CHECK(strncmp(pattern, "Cpus_allowed:", 13) == 0);
	pattern[strcspn(pattern, "\n")] = 0;
}

enum { WAYS = sizeof(ways) / sizeof(ways[0]), THREADS = 4 };

static void check_child(const char *name, const char *after, pid_t child)
{
	int status = -1;

	CHECK(child > 0);
	CHECK_IS(waitpid(child, &status, 0), child);
	if (status) {
		dprintf(2, "%s after %s: other processors (status %d)\n", name, after, status >> 8);
		_exit(1);
	}
}

#define TRY(way, make) \
	do { \
		pid_t child_ = make(); \
		if (child_ == 0) { \
			ways[way].leave(); \
			_exit(9); \
		} \
		check_child(ways[way].name, #make, child_); \
	} while (0)

static void try_vfork(size_t way)
{
	TRY(way, vfork);
}

/* A kernel thread that has forked is tied to no processor any more: vfork first. */
static void *try_all(void *arg)
{
	for (size_t i = 0; i < WAYS; i++)
		try_vfork(i);
	for (size_t i = 0; i < WAYS; i++)
		TRY(i, fork);
	return arg;
}

static atomic_bool has_run;

static void *run(void *arg)
{
	has_run = true;
	return arg;
}

/* It still gives way to others. */
static void *try_all_and_compute(void *arg)
{
	try_all(arg);
	upcall_t t = spawn(run, NULL);
	uint64_t end = upcall_after(10000 * MS);

	while (!has_run && upcall_now() < end)
		;
	CHECK(has_run);
	join(t);
	return arg;
}

static void test(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;

	read_affinity();
	options.vprocs = test_flags ? 1 : 2;
	test_flags = 0;
	CHECK_IS(upcall_init(&options), 0);
	upcall_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(try_all, NULL);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	join(spawn(try_all_and_compute, NULL));
}
