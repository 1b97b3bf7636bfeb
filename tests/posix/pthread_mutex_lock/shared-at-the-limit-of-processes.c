// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_mutex_lock: a mutex of several processes, robust or of inherited priority, is locked by whichever threads
// there are, and no lock fails where the user may have no more processes (RLIMIT_NPROC) for a while.
#include "../harness.h"
#include <sys/resource.h>

enum { THREADS = 12, NOBODY = 64323 /* a user who has no processes: the limit counts them all, and never root's */ };

static pthread_mutex_t *m;
static atomic_bool go;
static int count;

static void *locks(void *arg)
{
	WAIT_FOR(go);
	CHECK_OK(pthread_mutex_lock(m));
	count++;
	sched_yield();
	CHECK_OK(pthread_mutex_unlock(m));
	return arg;
}

static void *locks_in_time(void *arg)
{
	struct timespec until = in_ms(CLOCK_REALTIME, PATIENCE_MS);

	WAIT_FOR(go);
	CHECK_OK(pthread_mutex_timedlock(m, &until));
	count++;
	CHECK_OK(pthread_mutex_unlock(m));
	return arg;
}

static void check(bool is_robust)
{
	struct rlimit limit = { 1000, 1000 };
	pthread_mutexattr_t a;
	pthread_t t[THREADS];

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	if (is_robust)
		CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	else
		CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	CHECK_OK(pthread_mutex_init(m, &a));
	count = 0;
	go = false;
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(i % 3 ? locks : locks_in_time, NULL);
	limit.rlim_cur = 1;
	CHECK_OK(setrlimit(RLIMIT_NPROC, &limit));
	go = true;
	settle();
	limit.rlim_cur = 1000;
	CHECK_OK(setrlimit(RLIMIT_NPROC, &limit));
	join_many(t, THREADS);
	CHECK_EQ(count, THREADS);
	CHECK_OK(pthread_mutex_destroy(m));
}

int main(void)
{
	if (geteuid() != 0)
		skip("not root: the limit counts whatever else the user runs");
	m = shared_memory(sizeof(*m));
	CHECK_OK(setresuid(NOBODY, NOBODY, NOBODY));
	check(true);
	check(false);
}
