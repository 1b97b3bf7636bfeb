// SPDX-License-Identifier: BSD-2-Clause
// pthread_tryjoin_np gives EBUSY while the thread lives, and joins it once it has ended.
#include "../harness.h"

static atomic_bool go;

static void *body(void *arg)
{
	WAIT_FOR(go);
	return arg;
}

int main(void)
{
	int x;
	void *ret = NULL;
	pthread_t t = spawn(body, &x);

	CHECK_EQ(pthread_tryjoin_np(t, &ret), EBUSY);
	go = true;
	WAIT_FOR(pthread_tryjoin_np(t, &ret) == 0);
	CHECK(ret == &x);
}
