// SPDX-License-Identifier: BSD-2-Clause
// Another process's rubbish has left a process-shared condition locked for good: to signal it hangs, and signals of
// others, for waits with mutexes of this process's own, go on.
#include "../posix/harness.h"

enum { LIBC_LOCKED = 2 };		/* and somebody waits for that, in libc's low bits */

struct one {
	pthread_mutex_t lock;		/* private */
	pthread_cond_t *cond;
	bool is_told;
	atomic_bool waits;
};

static void *waits(void *arg)
{
	struct one *one = arg;

	CHECK_OK(pthread_mutex_lock(&one->lock));
	one->waits = true;
	while (!one->is_told)
		CHECK_OK(pthread_cond_wait(one->cond, &one->lock));
	CHECK_OK(pthread_mutex_unlock(&one->lock));
	return arg;
}

static void *signals(void *arg)
{
	struct one *one = arg;

	CHECK_OK(pthread_mutex_lock(&one->lock));
	one->is_told = true;
	CHECK_OK(pthread_mutex_unlock(&one->lock));
	CHECK_OK(pthread_cond_signal(one->cond));
	return arg;
}

int main(void)
{
	pthread_cond_t *conds = shared_memory(2 * sizeof *conds);
	struct one broken = { PTHREAD_MUTEX_INITIALIZER, &conds[0], false, false };
	struct one whole = { PTHREAD_MUTEX_INITIALIZER, &conds[1], false, false };
	pthread_condattr_t a;

	CHECK_OK(pthread_condattr_init(&a));
	CHECK_OK(pthread_condattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_cond_init(&conds[0], &a));
	CHECK_OK(pthread_cond_init(&conds[1], &a));
	spawn(waits, &broken);
	WAIT_FOR(broken.waits);
	settle();
	conds[0].__data.__g1_orig_size |= LIBC_LOCKED;
	spawn(signals, &broken);
	settle();

	pthread_t t = spawn(waits, &whole);

	WAIT_FOR(whole.waits);
	settle();
	join(spawn(signals, &whole));
	join(t);
	_exit(0);		/* the other two are left there */
}
