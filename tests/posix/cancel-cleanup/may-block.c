// SPDX-License-Identifier: BSD-2-Clause
// A cleanup handler may sleep, lock and do I/O: cancellation is off while it runs.
#include "../cancel.h"

static atomic_bool ready, cleaned;
static int p[2];

static void clean(void *arg UNUSED)
{
	char c;

	sleep_ms(5);
	pthread_testcancel();
	CHECK_EQ(write(p[1], "x", 1), 1);
	CHECK_EQ(read(p[0], &c, 1), 1);
	cleaned = true;
}

static void *body(void *arg UNUSED)
{
	pthread_cleanup_push(clean, NULL);
	ready = true;
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pipe(p));
	t = spawn(body, NULL);
	WAIT_FOR(ready);
	CHECK_OK(pthread_cancel(t));
	pthread_cancel(t);
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(cleaned);
}
