// SPDX-License-Identifier: BSD-2-Clause
// When the last reader unlocks, a writer that waits gets in, and not before.
#include "../harness.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static atomic_bool in;

static void *writer(void *arg)
{
	CHECK_OK(pthread_rwlock_wrlock(&l));
	in = true;
	CHECK_OK(pthread_rwlock_unlock(&l));
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_rwlock_rdlock(&l));
	CHECK_OK(pthread_rwlock_rdlock(&l));
	t = spawn(writer, NULL);
	settle();
	CHECK_OK(pthread_rwlock_unlock(&l));
	settle();
	CHECK(!in);
	CHECK_OK(pthread_rwlock_unlock(&l));
	join(t);
	CHECK(in);
}
