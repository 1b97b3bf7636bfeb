// SPDX-License-Identifier: BSD-2-Clause
// thrd_sleep suspends for at least the time asked; a handled signal ends it with -1 and the
// remaining time.
#include "../harness.h"
#include <threads.h>

static atomic_bool asleep, over;

static void handler(int sig UNUSED)
{
}

static int body(void *arg UNUSED)
{
	struct timespec t = { .tv_sec = 20 }, rest = { 0 };
	uint64_t start = now_ns();

	CHECK_EQ(thrd_sleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL), 0);
	CHECK(now_ns() - start >= 30000000);
	asleep = true;
	CHECK_EQ(thrd_sleep(&t, &rest), -1);
	over = true;
	CHECK(rest.tv_sec < 20 && rest.tv_sec >= 5);
	return 0;
}

int main(void)
{
	thrd_t t;

	on_signal(SIGUSR1, handler, 0);
	CHECK_EQ(thrd_create(&t, body, NULL), thrd_success);
	WAIT_FOR(asleep);
	while (!over) {
		settle();
		if (!over)
			CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	CHECK_EQ(thrd_join(t, NULL), thrd_success);
}
