/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of the native API: checks, and threads that must be made. */
#ifndef NATIVE_CHECK_H
#define NATIVE_CHECK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <upcall/upcall.h>

#define MS UINT64_C(1000000)

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			dprintf(2, "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond); \
			_exit(1); \
		} \
	} while (0)

#define CHECK_IS(call, wanted) \
	do { \
		long got_ = (long)(call), wanted_ = (long)(wanted); \
		if (got_ != wanted_) { \
			dprintf(2, "%s:%d: failed: %s is %ld, not %ld\n", __FILE__, __LINE__, #call, got_, wanted_); \
			_exit(1); \
		} \
	} while (0)

/* test() runs in two processes: with threads that have a TLS block, and with threads that have none. */
enum { SKIP = 77 };
static unsigned test_flags;
static void test(void);

int main(void)
{
	static const unsigned flags[] = { 0, UPCALL_NO_TLS };

	for (int i = 0; i < 2; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			test_flags = flags[i];
			test();
			exit(0);
		}
		CHECK(waitpid(child, &status, 0) == child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == SKIP)
			return SKIP;
		if (status) {
			dprintf(2, "with flags %u: status %d, signal %d\n", flags[i], status >> 8, status & 127);
			return 1;
		}
	}
	return 0;
}

static inline upcall_t spawn(void *(*fn)(void *), void *arg)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	attr.flags = test_flags;
	CHECK_IS(upcall_create(&t, &attr, fn, arg), 0);
	return t;
}

static inline void *join(upcall_t t)
{
	void *value;

	CHECK_IS(upcall_join(t, &value), 0);
	return value;
}

/* A wait took as long as its deadline said, and not much longer. */
static inline void check_took(uint64_t since, uint64_t ns)
{
	uint64_t took = upcall_now() - since;

	CHECK(took >= ns);
	CHECK(took < ns + 2000 * MS);
}

#endif
