// SPDX-License-Identifier: BSD-2-Clause
// The first pthread_create, where memory ends amid what it needs: it fails or succeeds, and with memory all goes on.
#include "../posix/harness.h"

#include <sys/resource.h>

enum { STEP_KB = 4, MOST_KB = 300 };
static long more_kb;

static size_t mapped_bytes(void)
{
	char text[64] = "";
	int fd = open("/proc/self/statm", O_RDONLY);

	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	CHECK_OK(close(fd));
	return (size_t)atol(text) * (size_t)sysconf(_SC_PAGESIZE);
}

static void child(void)
{
	struct rlimit before, limit;
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, 64 * 1024));
	CHECK_OK(getrlimit(RLIMIT_AS, &before));
	limit = before;
	limit.rlim_cur = mapped_bytes() + (size_t)more_kb * 1024;
	CHECK_OK(setrlimit(RLIMIT_AS, &limit));
	int err = pthread_create(&t, &attr, nothing, NULL);

	CHECK_OK(setrlimit(RLIMIT_AS, &before));
	CHECK(err == 0 || err == EAGAIN);
	if (!err)
		join(t);
	sleep_ms(10);
	join(spawn(nothing, NULL));
	_exit(0);
}

int main(void)
{
	for (more_kb = 0; more_kb < MOST_KB; more_kb += STEP_KB)
		CHECK_EQ(in_child(child), 0);
}
