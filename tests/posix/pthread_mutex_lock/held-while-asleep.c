// SPDX-License-Identifier: BSD-2-Clause
// A mutex stays locked while its owner sleeps; others wait, and all of them get it in the end.
#include "../harness.h"

#define N 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, total;

static void *body(void *arg UNUSED)
{
	pthread_mutex_lock(&lock);
	CHECK_EQ(inside++, 0);
	sleep_ms(2);
	total++;
	inside--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_EQ(total, N);
}
