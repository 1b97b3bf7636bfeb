// SPDX-License-Identifier: BSD-2-Clause
// Signalling without holding the mutex is allowed and wakes.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ball;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&lock);
		while (ball % 2 == 0)
			pthread_cond_wait(&cond, &lock);
		ball++;
		pthread_mutex_unlock(&lock);
		pthread_cond_signal(&cond);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&lock);
		while (ball % 2 == 1)
			pthread_cond_wait(&cond, &lock);
		ball++;
		pthread_mutex_unlock(&lock);
		pthread_cond_signal(&cond);
	}
	join(t);
	CHECK_EQ(ball, 1000);
}
