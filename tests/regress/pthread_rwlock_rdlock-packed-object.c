// SPDX-License-Identifier: BSD-2-Clause
// Objects in packed structures, which are aligned to four bytes only, are waited for like others, and
// nothing around them changes.
#include "../posix/harness.h"

enum { LINE = 64, ROUNDS = 50 };

static char memory[5][2 * LINE] __attribute__((aligned(LINE)));
static atomic_int turn;		/* odd: the waiter waits, or is about to */

#define PLACE(i, type) ((type *)(void *)(memory[i] + 4))
#define RWLOCK PLACE(0, pthread_rwlock_t)
#define SEM PLACE(1, sem_t)
#define COND PLACE(2, pthread_cond_t)
#define MUTEX PLACE(3, pthread_mutex_t)
#define BARRIER PLACE(4, pthread_barrier_t)

static bool said;		/* guarded by MUTEX */

static void *waits(void *arg UNUSED)
{
	for (int i = 0; i < ROUNDS; i++) {
		turn++;
		CHECK_OK(pthread_rwlock_rdlock(RWLOCK));
		CHECK_OK(pthread_rwlock_unlock(RWLOCK));
		CHECK_OK(sem_wait(SEM));
		CHECK_OK(pthread_mutex_lock(MUTEX));
		while (!said)
			CHECK_OK(pthread_cond_wait(COND, MUTEX));
		said = false;
		CHECK_OK(pthread_mutex_unlock(MUTEX));
		turn++;
		pthread_barrier_wait(BARRIER);
	}
	return NULL;
}

static bool is_untouched(const char *from, const char *to)
{
	while (from < to && *from == 0x5a)
		from++;
	return from == to;
}

int main(void)
{
	const size_t bytes[] = { sizeof(pthread_rwlock_t), sizeof(sem_t), sizeof(pthread_cond_t),
				 sizeof(pthread_mutex_t), sizeof(pthread_barrier_t) };

	memset(memory, 0x5a, sizeof(memory));
	CHECK_OK(pthread_rwlock_init(RWLOCK, NULL));
	CHECK_OK(sem_init(SEM, 0, 0));
	CHECK_OK(pthread_cond_init(COND, NULL));
	CHECK_OK(pthread_mutex_init(MUTEX, NULL));
	CHECK_OK(pthread_barrier_init(BARRIER, NULL, 2));
	CHECK_OK(pthread_rwlock_wrlock(RWLOCK));
	pthread_t t = spawn(waits, NULL);

	for (int i = 0; i < ROUNDS; i++) {
		WAIT_FOR(turn == 2 * i + 1);
		if (i < 3)
			settle();		/* it waits for each of them at least sometimes */
		CHECK_OK(pthread_rwlock_unlock(RWLOCK));
		if (i < 3)
			settle();
		CHECK_OK(sem_post(SEM));
		if (i < 3)
			settle();
		CHECK_OK(pthread_mutex_lock(MUTEX));
		if (i < 3)
			settle();
		said = true;
		CHECK_OK(pthread_cond_signal(COND));
		CHECK_OK(pthread_mutex_unlock(MUTEX));
		WAIT_FOR(turn == 2 * i + 2);
		CHECK_OK(pthread_rwlock_wrlock(RWLOCK));
		pthread_barrier_wait(BARRIER);
	}
	join(t);
	for (int i = 0; i < 5; i++) {
		CHECK(is_untouched(memory[i], memory[i] + 4));
		CHECK(is_untouched(memory[i] + 4 + bytes[i], memory[i] + sizeof(memory[i])));
	}
}
