// SPDX-License-Identifier: BSD-2-Clause
// Cleanup handlers run in reverse order with their arguments; popped ones do not, pop(1) runs at
// once.
#include "../cancel.h"

static char order[8];
static int n;
static atomic_bool ready;

static void note(void *arg)
{
	order[n++] = *(char *)arg;
}

static void *body(void *arg UNUSED)
{
	pthread_cleanup_push(note, "a");
	pthread_cleanup_push(note, "b");
	pthread_cleanup_push(note, "c");
	pthread_cleanup_push(note, "x");
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(1);
	ready = true;
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(ready);
	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(!strcmp(order, "cba"));
}
