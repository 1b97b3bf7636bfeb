// SPDX-License-Identifier: BSD-2-Clause
// RUSAGE_THREAD tells user time from system time, and neither goes back.
#include "../harness.h"

#include <sys/resource.h>

static uint64_t us(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000 + (uint64_t)tv.tv_usec;
}

static void *body(void *arg)
{
	static char page[1 << 16];
	struct rusage r;
	uint64_t user = 0, sys = 0;
	int fd = open("/dev/urandom", O_RDONLY);

	CHECK(fd >= 0);
	do {
		CHECK_OK(getrusage(RUSAGE_THREAD, &r));
		CHECK(us(r.ru_utime) >= user && us(r.ru_stime) >= sys);
		user = us(r.ru_utime);
		sys = us(r.ru_stime);
		CHECK(read(fd, page, sizeof page) > 0);
	} while (user + sys < 100000);
	CHECK(sys > user);
	close(fd);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	spawn_many(t, 2, body);
	join_many(t, 2);
}
