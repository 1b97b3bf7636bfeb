// SPDX-License-Identifier: BSD-2-Clause
// A thread inherits policy, nice value and slice of the one that made it, beside threads that compute, sleep and
// block in the kernel; so does a child.
#include "../attributes.h"
#include <sys/file.h>

static atomic_bool stop;
static struct attributes at_start;

static void check_attributes(void)
{
	struct attributes a = attributes_of(0);

	CHECK_EQ(a.policy, at_start.policy);
	CHECK_EQ(a.nice, at_start.nice);
	CHECK_EQ(a.runtime, at_start.runtime);
}

static void *computes(void *arg UNUSED)
{
	while (!stop)
		check_attributes();
	return NULL;
}

static void *sleeps(void *arg UNUSED)
{
	while (!stop) {
		sleep_ms(1);
		check_attributes();
	}
	return NULL;
}

static void *blocks(void *arg)
{
	int fd = open(arg, O_RDONLY);

	CHECK_EQ(flock(fd, LOCK_SH), 0);
	check_attributes();
	close(fd);
	return NULL;
}

int main(void)
{
	const char *path = fresh_path();
	int n_blocked = share_of(8), n = 2 * (int)sysconf(_SC_NPROCESSORS_ONLN), fd = open(path, O_RDWR | O_CREAT, 0600);
	pthread_t t[n], s[4], b[8];

	CHECK_EQ(flock(fd, LOCK_EX), 0);
	at_start = attributes_of(0);
	spawn_many(t, n, computes);
	spawn_many(s, 4, sleeps);
	for (int i = 0; i < n_blocked; i++) {
		sleep_ms(20);
		b[i] = spawn(blocks, (void *)path);
		CHECK_EQ(in_child(check_attributes), 0);
	}
	sleep_ms(20);
	CHECK_EQ(flock(fd, LOCK_UN), 0);
	join_many(b, n_blocked);
	stop = true;
	join_many(t, n);
	join_many(s, 4);
	unlink(path);
}
