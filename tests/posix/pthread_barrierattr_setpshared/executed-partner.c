// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_barrierattr_setpshared and pthread_barrier_wait: threads of a program and of one that it executed,
// which maps the barrier at another address and may have nothing preloaded, meet at it.  None goes on before all have
// come, each time exactly one of both sides is told that it is the serial one, and that one may destroy it at once.
#include "../pshared/partner.h"

enum { THREADS = 3, ROUNDS = 50 };

static struct shared {
	pthread_barrier_t barrier, last;
	atomic_int arrived, serial[ROUNDS + 1], destroyed;
} *s;

static void prepare(void *memory)
{
	pthread_barrierattr_t a;

	s = memory;
	CHECK_OK(pthread_barrierattr_init(&a));
	CHECK_OK(pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_barrier_init(&s->barrier, &a, 2 * THREADS));
	CHECK_OK(pthread_barrier_init(&s->last, &a, 2 * THREADS));
}

static bool wait_at(pthread_barrier_t *b)
{
	int rc = pthread_barrier_wait(b);

	CHECK(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
	return rc != 0;
}

static void *body(void *arg)
{
	for (int i = 1; i <= ROUNDS; i++) {
		if (i % 20 == (intptr_t)arg)	/* others wait then */
			sleep_ms(5);
		atomic_fetch_add(&s->arrived, 1);
		if (wait_at(&s->barrier))
			atomic_fetch_add(&s->serial[i], 1);
		CHECK(atomic_load(&s->arrived) >= i * 2 * THREADS);
	}
	if (wait_at(&s->last)) {
		CHECK_OK(pthread_barrier_destroy(&s->last));
		memset(&s->last, 0xee, sizeof s->last);
		atomic_fetch_add(&s->destroyed, 1);
	}
	return NULL;
}

static void act(void *memory, int side)
{
	pthread_t t[THREADS];

	s = memory;
	spawn_many(t, THREADS, body);
	join_many(t, THREADS);
	if (side == 1)
		return;
	WAIT_FOR(atomic_load(&s->destroyed) == 1);
	for (int i = 1; i <= ROUNDS; i++)
		CHECK_EQ(atomic_load(&s->serial[i]), 1);
}

int main(int argc, char **argv)
{
	static const struct play play = { sizeof(struct shared), prepare, act };

	return play_with_partners(argc, argv, &play);
}
