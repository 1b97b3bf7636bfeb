// SPDX-License-Identifier: BSD-2-Clause
// A timerfd counts its expirations; a non-blocking one says EAGAIN before the first.
#include "../harness.h"

#include <sys/timerfd.h>

static void *body(void *arg)
{
	struct itimerspec late = { .it_value = { 3600, 0 } }, v = { .it_value = ms_span(20), .it_interval = ms_span(5) };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	uint64_t n = 0;

	CHECK(fd >= 0);
	CHECK_OK(timerfd_settime(fd, 0, &late, NULL));
	CHECK_ERRNO(read(fd, &n, sizeof n), EAGAIN);
	CHECK_OK(timerfd_settime(fd, 0, &v, NULL));
	sleep_ms(50);
	CHECK_EQ(read(fd, &n, sizeof n), sizeof n);
	CHECK(n >= 5);
	close(fd);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
