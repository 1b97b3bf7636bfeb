// SPDX-License-Identifier: BSD-2-Clause
// A handled signal ends nanosleep with EINTR and the remaining time, even with SA_RESTART.
#include "../harness.h"

static atomic_bool over;

static void handler(int sig UNUSED)
{
}

static void *body(void *arg UNUSED)
{
	struct timespec t = { .tv_sec = 20 }, rest = { 0 };
	uint64_t start = now_ns(), slept, left;

	CHECK_ERRNO(nanosleep(&t, &rest), EINTR);
	over = true;
	slept = now_ns() - start;
	left = (uint64_t)rest.tv_sec * 1000000000ull + (uint64_t)rest.tv_nsec;
	CHECK(left < 20000000000ull);
	CHECK(left + slept >= 20000000000ull - 50000000);
	CHECK(left + slept < 26000000000ull);
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, SA_RESTART);
	t = spawn(body, NULL);
	while (!over) {
		settle();
		if (!over)
			CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	join(t);
}
