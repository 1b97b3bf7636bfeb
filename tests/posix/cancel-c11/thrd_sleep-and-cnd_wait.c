// SPDX-License-Identifier: BSD-2-Clause
// thrd_sleep, thrd_join and cnd_wait are cancellation points in glibc.
#include "../cancel.h"

#include <threads.h>

static mtx_t m;
static cnd_t c;
static thrd_t target;
static atomic_bool over;

static int sleeper(void *arg UNUSED)
{
	WAIT_FOR(over);
	return 7;
}

static void unlock(void *arg UNUSED)
{
	mtx_unlock(&m);
}

static void by_sleep(void *arg UNUSED)
{
	struct timespec t = ms_span(20000);

	thrd_sleep(&t, NULL);
}

static void by_cnd(void *arg UNUSED)
{
	mtx_lock(&m);
	pthread_cleanup_push(unlock, NULL);
	cnd_wait(&c, &m);
	pthread_cleanup_pop(1);
}

static void by_join(void *arg UNUSED)
{
	thrd_join(target, NULL);
}

int main(void)
{
	int v = 0;

	CHECK_EQ(mtx_init(&m, mtx_plain), thrd_success);
	CHECK_EQ(cnd_init(&c), thrd_success);
	CHECK_EQ(thrd_create(&target, sleeper, NULL), thrd_success);
	check_cancels(by_sleep, NULL);
	check_cancels(by_cnd, NULL);
	check_cancels(by_join, NULL);
	over = true;
	CHECK_EQ(thrd_join(target, &v), thrd_success);
	CHECK_EQ(v, 7);
}
