// SPDX-License-Identifier: BSD-2-Clause
/*
 * This program executed once more beside itself, as its partner, with memory that both have mapped, at different
 * addresses.  The partner is started as this one was, or with nothing preloaded, as any program may be that uses the
 * same objects.
 */
#ifndef PARTNER_H
#define PARTNER_H

#include "../harness.h"
#include <inttypes.h>
#include <spawn.h>

extern char **environ;

enum partner_kind { SAME_ENVIRONMENT, NOTHING_PRELOADED, PARTNER_KINDS };

struct partner {
	void *here;			/* the memory */
	const char *role;
	int fd;
	enum partner_kind kind;
};

/* A file that programs executed from here on have, too. */
static inline int shared_file(size_t bytes)
{
	int fd = memfd_create("shared", 0);

	CHECK(fd >= 0);
	CHECK_OK(ftruncate(fd, (off_t)bytes));
	return fd;
}

static inline void *map_file(int fd, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

/* Maps it elsewhere than where another process says that it has it. */
static inline void *map_elsewhere(int fd, size_t bytes, uintptr_t there)
{
	void *p = map_file(fd, bytes);

	return (uintptr_t)p == there ? map_file(fd, bytes) : p;
}

static inline bool is_of_preloading(const char *variable)
{
	return strncmp(variable, "LD_PRELOAD=", 11) == 0 || strncmp(variable, "UPCALL_", 7) == 0 ||
	       strncmp(variable, "GLIBC_TUNABLES=", 15) == 0;
}

/* The caller frees it. */
static inline char **plain_environment(void)
{
	size_t n = 0, kept = 0;
	char **plain;

	while (environ[n])
		n++;
	plain = calloc(n + 1, sizeof *plain);
	CHECK(plain != NULL);
	for (size_t i = 0; i < n; i++)
		if (!is_of_preloading(environ[i]))
			plain[kept++] = environ[i];
	return plain;
}

static inline pid_t start_partner(const struct partner *p)
{
	char **plain = plain_environment(), fd[16], here[32];
	char *argv[] = { (char *)"partner", (char *)p->role, fd, here, NULL };
	pid_t pid;

	snprintf(fd, sizeof fd, "%d", p->fd);
	snprintf(here, sizeof here, "%ju", (uintmax_t)(uintptr_t)p->here);
	CHECK_OK(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv,
			     p->kind == NOTHING_PRELOADED ? plain : environ));
	free(plain);
	return pid;
}

static inline void end_partner(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* In the partner, which has the arguments that start_partner gave it. */
static inline void *partner_memory(char **argv, size_t bytes)
{
	return map_elsewhere(atoi(argv[2]), bytes, (uintptr_t)strtoumax(argv[3], NULL, 10));
}

/* Both sides are here: the n-th time that they meet so. */
static inline void meet(atomic_int *met, int n)
{
	atomic_fetch_add(met, 1);
	WAIT_FOR(atomic_load(met) >= 2 * n);
}

struct play {
	size_t bytes;
	void (*prepare)(void *memory);			/* makes the objects */
	void (*act)(void *memory, int side);		/* side 0: where they were made; 1: in the partner */
};

/* What main does that does nothing else: `act` on both sides, with a partner of each kind in turn. */
static inline int play_with_partners(int argc, char **argv, const struct play *play)
{
	if (argc > 1) {
		play->act(partner_memory(argv, play->bytes), 1);
		return 0;
	}
	for (enum partner_kind kind = 0; kind < PARTNER_KINDS; kind++) {
		struct partner p = { NULL, "acts", shared_file(play->bytes), kind };

		p.here = map_file(p.fd, play->bytes);
		play->prepare(p.here);
		pid_t pid = start_partner(&p);

		play->act(p.here, 0);
		end_partner(pid);
		CHECK_OK(munmap(p.here, play->bytes));
		CHECK_OK(close(p.fd));
	}
	return 0;
}

#endif
