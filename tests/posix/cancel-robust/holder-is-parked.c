// SPDX-License-Identifier: BSD-2-Clause
// A thread that is cancelled in a wait while it holds a robust mutex: where a cleanup handler gives that up, the next one
// has it as ever; else with EOWNERDEAD.  Of one process, and shared.
#include "../cancel-holding.h"

enum { KINDS = 4 };

struct wait {
	pthread_mutex_t *robust;
	int kind;
	bool gives_up;
};

static int p[2];
static sem_t sem;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void unlock(void *m)
{
	CHECK_OK(pthread_mutex_unlock(m));
}

static void waits_for_cond(void)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	pthread_cleanup_push(unlock, &lock);
	for (;;)
		pthread_cond_wait(&cond, &lock);
	pthread_cleanup_pop(0);
}

static void waits(int kind)
{
	char c;

	switch (kind) {
	case 0: CHECK(read(p[0], &c, 1) != -1); break;
	case 1: sem_wait(&sem); break;
	case 2: sleep(WATCHDOG_SECONDS); break;
	case 3: waits_for_cond(); break;
	}
}

static void holds(void *arg)
{
	const struct wait *w = arg;

	CHECK_OK(pthread_mutex_lock(w->robust));
	if (w->gives_up) {
		pthread_cleanup_push(unlock, w->robust);
		waits(w->kind);
		pthread_cleanup_pop(0);
	} else {
		waits(w->kind);
	}
}

static void check(pthread_mutex_t *robust, bool gives_up)
{
	struct wait w = { robust, 0, gives_up };
	struct holder h;

	for (; w.kind < KINDS; w.kind++) {
		holder_begin(&h, holds, &w);
		settle();
		CHECK_OK(pthread_cancel(h.thread));
		holder_end(&h);
		CHECK(!h.returned);
		CHECK_EQ(pthread_mutex_lock(robust), gives_up ? 0 : EOWNERDEAD);
		if (!gives_up)
			CHECK_OK(pthread_mutex_consistent(robust));
		CHECK_OK(pthread_mutex_unlock(robust));
	}
}

int main(void)
{
	pthread_mutex_t *robust = shared_memory(sizeof(*robust));
	pthread_mutexattr_t a;

	CHECK_OK(pipe(p));
	CHECK_OK(sem_init(&sem, 0, 0));
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	for (int is_shared = 0; is_shared < 2; is_shared++) {
		CHECK_OK(pthread_mutexattr_setpshared(&a, is_shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE));
		CHECK_OK(pthread_mutex_init(robust, &a));
		check(robust, false);
		check(robust, true);
		CHECK_OK(pthread_mutex_destroy(robust));
	}
}
