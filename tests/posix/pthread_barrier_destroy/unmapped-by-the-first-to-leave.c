// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_barrier_destroy: undefined only while a thread is blocked.  The first one whose wait returned, whether
// it was the serial one or not, destroys the barrier and disposes of its memory; the others all return as well.
#include "../disposed.h"

static atomic_int left, serial;

static void make(void *b, int round)
{
	pthread_barrierattr_t a;

	CHECK_OK(pthread_barrierattr_init(&a));
	CHECK_OK(pthread_barrierattr_setpshared(&a, disposed_is_shared(round)));
	CHECK_OK(pthread_barrier_init(b, &a, DISPOSED_USERS));
	left = serial = 0;
}

static void use(void *b, int user UNUSED, int round)
{
	int rc = pthread_barrier_wait(b);

	if (rc)
		CHECK_EQ(rc, PTHREAD_BARRIER_SERIAL_THREAD);
	serial += rc != 0;
	if (left++ == 0) {
		CHECK_OK(pthread_barrier_destroy(b));
		dispose(b, round);
	}
	if (left == DISPOSED_USERS)
		CHECK_EQ(serial, 1);
}

int main(void)
{
	disposed_run((struct disposed){ make, use });
}
