// SPDX-License-Identifier: BSD-2-Clause
// nanosleep, usleep and sleep last at least as long as asked; invalid times are EINVAL; zero
// returns.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	uint64_t start = now_ns();

	CHECK_OK(nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL));
	CHECK(now_ns() - start >= 20000000);
	start = now_ns();
	CHECK_OK(usleep(20000));
	CHECK(now_ns() - start >= 20000000);
	start = now_ns();
	CHECK_EQ(sleep(1), 0);
	CHECK(now_ns() - start >= 1000000000);
	CHECK_ERRNO(nanosleep(&(struct timespec){ .tv_nsec = 1000000000 }, NULL), EINVAL);
	CHECK_ERRNO(nanosleep(&(struct timespec){ .tv_sec = -1 }, NULL), EINVAL);
	CHECK_OK(nanosleep(&(struct timespec){ 0 }, NULL));
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}
