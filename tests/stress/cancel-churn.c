// SPDX-License-Identifier: BSD-2-Clause
// Threads in random waits are cancelled at random moments; each runs its cleanup handler and its
// key destructor once and leaves no lock behind.
#include "stress.h"

#define ROUNDS 2400
#define BATCH 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static sem_t sem;
static int p[2];
static atomic_int cleaned, destroyed;

static void destroy(void *arg UNUSED)
{
	destroyed++;
}

static void clean(void *arg UNUSED)
{
	cleaned++;
}

static void unlock(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_unlock(&lock));
}

static void wait_once(uint64_t *r)
{
	char c;

	switch (pick(r, 5)) {
	case 0:
		CHECK(read(p[0], &c, 1) != -1);
		break;
	case 1:
		sem_wait(&sem);
		break;
	case 2:
		sleep_ms(1);
		break;
	case 3:
		poll(NULL, 0, 2);
		break;
	default:
		pthread_mutex_lock(&lock);
		pthread_cleanup_push(unlock, NULL);
		pthread_cond_wait(&cond, &lock);
		pthread_cleanup_pop(1);
	}
}

static void *body(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	CHECK_OK(pthread_setspecific(key, &key));
	pthread_cleanup_push(clean, NULL);
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	for (;;)
		wait_once(&r);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[BATCH];
	uint64_t r;

	stress_seed(argc, argv);
	r = seed_for(-1);
	CHECK_OK(pipe(p));
	CHECK_OK(sem_init(&sem, 0, 0));
	CHECK_OK(pthread_key_create(&key, destroy));
	for (int i = 0; i < ROUNDS; i += BATCH) {
		for (int k = 0; k < BATCH; k++)
			t[k] = spawn(body, (void *)(intptr_t)(i + k));
		dawdle(&r);
		for (int k = 0; k < BATCH; k++)
			CHECK_OK(pthread_cancel(t[k]));
		for (int k = 0; k < BATCH; k++)
			CHECK(join(t[k]) == PTHREAD_CANCELED);
	}
	CHECK_EQ(cleaned, ROUNDS);
	CHECK_EQ(destroyed, ROUNDS);
	CHECK_OK(pthread_mutex_trylock(&lock));
}
