// SPDX-License-Identifier: BSD-2-Clause
// A process that has given its privileges up is not told by the kernel whether memory is its own: a condition for
// several processes was libc's then, and who waited for it with a mutex that was not hung.
#include "../posix/harness.h"

enum { THREADS = 4, ROUNDS = 500 };

static pthread_mutex_t m;
static pthread_cond_t cond;
static int turn, rounds;

static void *by_turns(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_mutex_lock(&m));
		while (turn != (int)(intptr_t)arg)
			CHECK_OK(pthread_cond_wait(&cond, &m));
		turn = (turn + 1) % THREADS;
		rounds++;
		CHECK_OK(pthread_cond_broadcast(&cond));
		CHECK_OK(pthread_mutex_unlock(&m));
	}
	return NULL;
}

static void test(int pshared)
{
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;
	pthread_t t[THREADS];

	CHECK_OK(pthread_mutexattr_init(&ma));
	CHECK_OK(pthread_mutexattr_setpshared(&ma, pshared));
	CHECK_OK(pthread_mutex_init(&m, &ma));
	if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
		skip("cannot become another user");
	CHECK_OK(pthread_condattr_init(&ca));
	CHECK_OK(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_cond_init(&cond, &ca));
	spawn_many(t, THREADS, by_turns);
	join_many(t, THREADS);
	CHECK_EQ(rounds, THREADS * ROUNDS);
}

static void private_mutex(void)
{
	test(PTHREAD_PROCESS_PRIVATE);
}

int main(void)
{
	int status = in_child(private_mutex);

	CHECK(WIFEXITED(status));
	if (WEXITSTATUS(status))
		return WEXITSTATUS(status);
	test(PTHREAD_PROCESS_SHARED);
}
