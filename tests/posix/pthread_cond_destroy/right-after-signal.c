// SPDX-License-Identifier: BSD-2-Clause
// A condition may be destroyed as soon as the last waiter has been woken and has the mutex.
#include "../harness.h"

struct box {
	pthread_mutex_t m;
	pthread_cond_t c;
	bool go;
};

static void *body(void *arg)
{
	struct box *b = arg;

	CHECK_OK(pthread_mutex_lock(&b->m));
	while (!b->go)
		CHECK_OK(pthread_cond_wait(&b->c, &b->m));
	CHECK_OK(pthread_mutex_unlock(&b->m));
	CHECK_OK(pthread_cond_destroy(&b->c));
	CHECK_OK(pthread_mutex_destroy(&b->m));
	memset(b, 0xee, sizeof *b);
	free(b);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 100; i++) {
		struct box *b = calloc(1, sizeof *b);
		pthread_t t;

		CHECK_OK(pthread_mutex_init(&b->m, NULL));
		CHECK_OK(pthread_cond_init(&b->c, NULL));
		t = spawn(body, b);
		CHECK_OK(pthread_mutex_lock(&b->m));
		b->go = true;
		CHECK_OK(pthread_cond_signal(&b->c));
		CHECK_OK(pthread_mutex_unlock(&b->m));
		join(t);
	}
}
