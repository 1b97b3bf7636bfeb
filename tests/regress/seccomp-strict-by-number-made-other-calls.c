// SPDX-License-Identifier: BSD-2-Clause
// A thread that confines itself to read and write by the system call's number goes on with these, beside others that are free.
#include "../posix/harness.h"

#include <linux/seccomp.h>

enum { MANY = 1000 };

static int from[2], to[2];
static atomic_int failed;
static atomic_bool stop;

/* It ends with the process: a thread that ends makes other calls. */
static void *confined(void *arg UNUSED)
{
	char c;

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL)) {
		failed = errno;
		close(from[1]);
		return NULL;
	}
	while (read(to[0], &c, 1) == 1)
		if (write(from[1], &c, 1) != 1)
			break;
	return NULL;
}

static void *busy(void *arg)
{
	while (!stop)
		sched_yield();
	return arg;
}

int main(void)
{
	pthread_t t[2];
	char c = 1;

	CHECK_OK(pipe(from));
	CHECK_OK(pipe(to));
	spawn_many(t, 2, busy);
	spawn(confined, NULL);
	for (int i = 0; i < MANY && !failed; i++) {
		CHECK_EQ(write(to[1], &c, 1), 1);
		if (read(from[0], &c, 1) == 0)
			break;
	}
	if (failed)
		skip("may not be confined");
	stop = true;
	join_many(t, 2);
}
