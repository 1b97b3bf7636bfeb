// SPDX-License-Identifier: BSD-2-Clause
// An exec that fails gives its error, and the threads go on.
#include "../harness.h"

static atomic_int ticks;
static atomic_bool over;

static void *other(void *arg)
{
	while (!over) {
		ticks++;
		sleep_ms(1);
	}
	return arg;
}

static void *body(void *arg)
{
	for (int i = 0; i < 5; i++) {
		CHECK_ERRNO(execl("/no/such/program", "x", NULL), ENOENT);
		CHECK_ERRNO(execl("/dev/null", "x", NULL), EACCES);
	}
	return arg;
}

int main(void)
{
	pthread_t t = spawn(other, NULL);
	int before;

	join(spawn(body, NULL));
	before = ticks;
	WAIT_FOR(ticks > before + 3);
	over = true;
	join(t);
}
