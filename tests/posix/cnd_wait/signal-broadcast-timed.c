// SPDX-License-Identifier: BSD-2-Clause
// C11 conditions: wait, signal, broadcast, timedwait.
#include "../harness.h"
#include <threads.h>

#define N 5

static mtx_t lock;
static cnd_t cond;
static int units, done;

static int body(void *arg UNUSED)
{
	mtx_lock(&lock);
	while (units == 0)
		CHECK_EQ(cnd_wait(&cond, &lock), thrd_success);
	units--;
	done++;
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 20);
	thrd_t t[N];
	int rc;

	CHECK_EQ(mtx_init(&lock, mtx_plain), thrd_success);
	CHECK_EQ(cnd_init(&cond), thrd_success);
	mtx_lock(&lock);
	while ((rc = cnd_timedwait(&cond, &lock, &at)) == thrd_success)
		;
	CHECK_EQ(rc, thrd_timedout);
	mtx_unlock(&lock);
	for (int i = 0; i < N; i++)
		CHECK_EQ(thrd_create(&t[i], body, NULL), thrd_success);
	settle();
	mtx_lock(&lock);
	units = 1;
	cnd_signal(&cond);
	mtx_unlock(&lock);
	settle();
	mtx_lock(&lock);
	CHECK(done <= 1);
	units += N - 1;
	cnd_broadcast(&cond);
	mtx_unlock(&lock);
	for (int i = 0; i < N; i++)
		CHECK_EQ(thrd_join(t[i], NULL), thrd_success);
	CHECK_EQ(done, N);
	cnd_destroy(&cond);
}
