// SPDX-License-Identifier: BSD-2-Clause
// The memory of a destroyed mutex may be used for anything.
#include "../harness.h"

static atomic_int turns;

static void *body(void *arg)
{
	pthread_mutex_t *m = arg;

	CHECK_OK(pthread_mutex_lock(m));
	turns++;
	CHECK_OK(pthread_mutex_unlock(m));
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 50; i++) {
		pthread_mutex_t *m = malloc(sizeof *m);
		pthread_t t[2];

		CHECK_OK(pthread_mutex_init(m, NULL));
		t[0] = spawn(body, m);
		t[1] = spawn(body, m);
		join_many(t, 2);
		CHECK_OK(pthread_mutex_destroy(m));
		memset(m, 0xff, sizeof *m);
		free(m);
	}
	CHECK_EQ(turns, 100);
}
