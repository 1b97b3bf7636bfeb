// SPDX-License-Identifier: BSD-2-Clause
// The thread that unlocks last may destroy the mutex and free its memory at once, though the other
// has just left unlock.
#include "../harness.h"

struct object {
	pthread_mutex_t lock;
	int references;
};

static void drop(struct object *o)
{
	int left;

	pthread_mutex_lock(&o->lock);
	left = --o->references;
	pthread_mutex_unlock(&o->lock);
	if (left == 0) {
		CHECK_OK(pthread_mutex_destroy(&o->lock));
		memset(o, 0xff, sizeof *o);
		free(o);
	}
}

static void *body(void *arg)
{
	drop(arg);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 500; i++) {
		struct object *o = calloc(1, sizeof *o);
		pthread_t t;

		CHECK_OK(pthread_mutex_init(&o->lock, NULL));
		o->references = 2;
		t = spawn(body, o);
		drop(o);
		join(t);
	}
}
