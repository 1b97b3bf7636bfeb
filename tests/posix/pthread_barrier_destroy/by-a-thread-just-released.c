// SPDX-License-Identifier: BSD-2-Clause
// The serial thread may destroy the barrier and free it as soon as its own wait returned.
#include "../harness.h"

struct object {
	pthread_barrier_t barrier;
};

static void *body(void *arg)
{
	struct object *o = arg;

	if (pthread_barrier_wait(&o->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
		CHECK_OK(pthread_barrier_destroy(&o->barrier));
		memset(o, 0xff, sizeof *o);
		free(o);
	}
	return NULL;
}

int main(void)
{
	for (int r = 0; r < 100; r++) {
		struct object *o = malloc(sizeof *o);
		pthread_t t[4];

		CHECK_OK(pthread_barrier_init(&o->barrier, NULL, 4));
		for (int i = 0; i < 4; i++)
			t[i] = spawn(body, o);
		join_many(t, 4);
	}
}
