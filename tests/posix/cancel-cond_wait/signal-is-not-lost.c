// SPDX-License-Identifier: BSD-2-Clause
// A cancelled waiter does not consume a signal that another waiter could have had.
#include "../cancel.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int tokens, waiting;

static void unlock(void *arg UNUSED)
{
	waiting--;
	pthread_mutex_unlock(&lock);
}

static void *body(void *arg UNUSED)
{
	pthread_mutex_lock(&lock);
	waiting++;
	pthread_cleanup_push(unlock, NULL);
	while (tokens == 0)
		pthread_cond_wait(&cond, &lock);
	tokens--;
	pthread_cleanup_pop(1);
	return NULL;
}

static int read_waiting(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = waiting;
	pthread_mutex_unlock(&lock);
	return n;
}

int main(void)
{
	for (int r = 0; r < 50; r++) {
		pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
		bool a_cancelled, b_cancelled = false;

		WAIT_FOR(read_waiting() == 2);
		pthread_mutex_lock(&lock);
		tokens = 1;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&lock);
		pthread_cancel(a);
		a_cancelled = join(a) == PTHREAD_CANCELED;
		if (!a_cancelled) {
			pthread_cancel(b);
			b_cancelled = join(b) == PTHREAD_CANCELED;
			CHECK(b_cancelled);
		} else {
			CHECK(join(b) == NULL);
		}
		CHECK_EQ(tokens, 0);
	}
}
