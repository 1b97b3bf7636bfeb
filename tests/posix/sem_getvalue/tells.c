// SPDX-License-Identifier: BSD-2-Clause
// sem_getvalue tells the value; with threads waiting it is zero (Linux).
#include "../harness.h"

static sem_t s;

static void *body(void *arg UNUSED)
{
	CHECK_OK(sem_wait(&s));
	return NULL;
}

int main(void)
{
	pthread_t t;
	int v = -1;

	CHECK_OK(sem_init(&s, 0, 5));
	CHECK_OK(sem_getvalue(&s, &v));
	CHECK_EQ(v, 5);
	for (int i = 0; i < 5; i++)
		CHECK_OK(sem_wait(&s));
	t = spawn(body, NULL);
	settle();
	CHECK_OK(sem_getvalue(&s, &v));
	CHECK_EQ(v, 0);
	CHECK_OK(sem_post(&s));
	join(t);
}
