// SPDX-License-Identifier: BSD-2-Clause
/*
 * What every test program of tests/posix shares.  A program tests one clause of POSIX or of a manual
 * page, must pass on the system's own pthreads first, and says 0 (pass), 1 (fail) or 77 (skip).
 *
 * A failed check prints where and what, and ends the process at once, from whichever thread saw it.
 * A watchdog prints the last check that was passed when the program hangs; a program that needs
 * SIGALRM for itself defines NO_WATCHDOG and relies on the runner's time limit.  Where IS_LONG is defined
 * (stress.h, crowd.h), a program hangs when it passes no check any more, however long it takes in all.
 *
 * Nothing here assumes a second CPU, a fast machine, or that a thread is a kernel thread.
 */
#ifndef HARNESS_H
#define HARNESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))
#define WATCHDOG_SECONDS 30
#define PATIENCE_MS 10000

static const char *volatile h_where = "the start";
static volatile unsigned h_passed;	/* counts roughly: it moves while checks are passed */

#define H_STR2(x) #x
#define H_STR(x) H_STR2(x)
#define H_HERE __FILE__ ":" H_STR(__LINE__)

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			h_fail(H_HERE, #cond, 0, 0, false);                                        \
		h_pass(H_HERE);                                                                    \
	} while (0)

/* Compares two integers and prints both when they differ. */
#define CHECK_EQ(a, b)                                                                             \
	do {                                                                                       \
		long long h_a = (long long)(a), h_b = (long long)(b);                              \
		if (h_a != h_b)                                                                    \
			h_fail(H_HERE, #a " == " #b, h_a, h_b, true);                              \
		h_pass(H_HERE);                                                                    \
	} while (0)

#define CHECK_OK(call) CHECK_EQ(call, 0)

/* The call must return -1 and set errno to `want`. */
#define CHECK_ERRNO(call, want)                                                                    \
	do {                                                                                       \
		errno = 0;                                                                         \
		CHECK_EQ(call, -1);                                                                \
		CHECK_EQ(errno, want);                                                             \
	} while (0)

/* Waits, asleep in between, until `cond` holds; fails when patience runs out. */
#define WAIT_FOR(cond)                                                                             \
	do {                                                                                       \
		uint64_t h_end = now_ns() + PATIENCE_MS * 1000000ull;                              \
		while (!(cond)) {                                                                  \
			if (now_ns() > h_end)                                                      \
				h_fail(H_HERE, "waited in vain for " #cond, 0, 0, false);          \
			sleep_ms(1);                                                               \
		}                                                                                  \
		h_pass(H_HERE);                                                                    \
	} while (0)

static inline void h_pass(const char *where)
{
	h_where = where;
	h_passed = h_passed + 1;
}

_Noreturn static inline void h_fail(const char *where, const char *what, long long a, long long b,
				    bool values)
{
	int err = errno;

	if (values)
		dprintf(2, "%s: failed: %s (%lld, %lld), errno %d\n", where, what, a, b, err);
	else
		dprintf(2, "%s: failed: %s, errno %d\n", where, what, err);
	_exit(1);
}

_Noreturn static inline void skip(const char *why)
{
	printf("skip: %s\n", why);
	fflush(stdout);
	_exit(77);
}

/* Not every container allows it, nor every user. */
static inline void unshare_or_skip(int what)
{
	if (unshare(what) != 0)
		skip("unshare is not allowed here");
}

static inline bool is_on_upcall(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "upcall");
}

static inline bool threads_are_glibcs(void)
{
	return !is_on_upcall() || getenv("UPCALL_BOUND");
}

static inline uint64_t now_on(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return now_on(CLOCK_MONOTONIC);
}

static inline struct timespec ms_span(long ms)
{
	return (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
}

/* The point in time `ms` from now (in the past when negative) on a clock. */
static inline struct timespec in_ms(clockid_t clock, long ms)
{
	uint64_t t = now_on(clock) + (uint64_t)(int64_t)ms * 1000000ull;

	return (struct timespec){ .tv_sec = (time_t)(t / 1000000000ull),
				  .tv_nsec = (long)(t % 1000000000ull) };
}

static inline void sleep_ms(long ms)
{
	struct timespec t = ms_span(ms);

	while (nanosleep(&t, &t) == -1 && errno == EINTR)
		;
}

/*
 * Gives a thread that has announced a blocking call the time to be inside it.  A test must hold
 * whether it got there or not; this only makes the interesting case the usual one.
 */
static inline void settle(void)
{
	sleep_ms(20);
}

/* Does a long test take this turn?  Each; one of `n`, by its process ID, where the runner makes a hundred runs of it. */
static inline bool is_due(unsigned turn, unsigned n)
{
	return !getenv("REPEATED") || turn % n == (unsigned)getpid() % n;
}

/* How much a long test does: all of it; a part, where the runner makes a hundred runs of it. */
static inline int share_of(int n)
{
	return getenv("REPEATED") ? (n + 3) / 4 : n;
}

/* To a thread that may have ended: before 2.34 glibc has no such thread then. */
static inline void kill_if_there(pthread_t t, int sig)
{
	int rc = pthread_kill(t, sig);

	CHECK(rc == 0 || (rc == ESRCH && !__GLIBC_PREREQ(2, 34)));
}

/* The first of those that the caller may use. */
static inline cpu_set_t one_cpu(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	CHECK_OK(sched_getaffinity(0, sizeof all, &all));
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return one;
}

static inline bool has_two_cpus(void)
{
	cpu_set_t all;

	CHECK_OK(sched_getaffinity(0, sizeof all, &all));
	return CPU_COUNT(&all) > 1;
}

/* What a thread does that is made for the sake of having been made. */
static inline void *nothing(void *arg)
{
	return arg;
}

static inline pthread_t spawn(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	CHECK_OK(pthread_create(&t, NULL, fn, arg));
	return t;
}

static inline void *join(pthread_t t)
{
	void *ret = NULL;

	CHECK_OK(pthread_join(t, &ret));
	return ret;
}

/* Thread i gets the integer i as its argument. */
static inline void spawn_many(pthread_t *t, int n, void *(*fn)(void *))
{
	for (int i = 0; i < n; i++)
		t[i] = spawn(fn, (void *)(intptr_t)i);
}

static inline void join_many(pthread_t *t, int n)
{
	for (int i = 0; i < n; i++)
		join(t[i]);
}

/* A child that does not outlive a test that failed by more than the watchdog's time. */
static inline pid_t fork_watched(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0)
		alarm(WATCHDOG_SECONDS);
	return pid;
}

/* Runs fn in a child process and returns its wait status; fn returning means exit(0). */
static inline int in_child(void (*fn)(void))
{
	pid_t pid = fork_watched();
	int status = -1;

	if (pid == 0) {
		fn();
		_exit(0);
	}
	while (waitpid(pid, &status, 0) == -1)
		CHECK_EQ(errno, EINTR);
	return status;
}

/* Memory that a forked child shares. */
static inline void *shared_memory(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

/* A fresh path that nothing exists at; the caller unlinks what it puts there. */
static inline const char *fresh_path(void)
{
	static char path[64];
	static atomic_int serial;

	snprintf(path, sizeof path, "/tmp/upcall-test-%d-%d", (int)getpid(),
		 atomic_fetch_add(&serial, 1));
	unlink(path);
	return path;
}

static inline void on_signal(int sig, void (*fn)(int), int flags)
{
	struct sigaction sa = { .sa_handler = fn, .sa_flags = flags };

	sigemptyset(&sa.sa_mask);
	CHECK_OK(sigaction(sig, &sa, NULL));
}

static inline sigset_t set_of(int sig)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, sig);
	return s;
}

static inline void block_signal(int sig)
{
	sigset_t s = set_of(sig);

	CHECK_OK(pthread_sigmask(SIG_BLOCK, &s, NULL));
}

static inline void unblock_signal(int sig)
{
	sigset_t s = set_of(sig);

	CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &s, NULL));
}

#ifndef NO_WATCHDOG
static void h_bark(int sig UNUSED)
{
#ifdef IS_LONG
	static unsigned seen;

	if (h_passed != seen) {
		seen = h_passed;
		alarm(WATCHDOG_SECONDS);
		return;
	}
#endif
	dprintf(2, "watchdog: hangs; the last check passed was %s\n", h_where);
	_exit(1);
}

__attribute__((constructor)) static void h_watch(void)
{
	struct sigaction sa = { .sa_handler = h_bark, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &sa, NULL);
	alarm(WATCHDOG_SECONDS);
}
#endif

#endif
