// SPDX-License-Identifier: BSD-2-Clause
// However small a stack is asked for, the thread runs on the one that is told of it.
#include "check.h"

#include <pthread.h>

static void *looks(void *arg)
{
	pthread_attr_t a;
	char here, *low;
	size_t bytes;

	CHECK_IS(pthread_getattr_np(pthread_self(), &a), 0);
	CHECK_IS(pthread_attr_getstack(&a, (void **)&low, &bytes), 0);
	CHECK(&here > low && &here < low + bytes);
	CHECK(bytes <= 65536);
	CHECK_IS(pthread_attr_destroy(&a), 0);
	return arg;
}

static void test(void)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	if (test_flags)		/* a thread without a TLS block is none of pthreads' */
		return;
	for (attr.stack_bytes = 1; attr.stack_bytes <= 16384; attr.stack_bytes *= 2) {
		CHECK_IS(upcall_create(&t, &attr, looks, &attr), 0);
		CHECK(join(t) == &attr);
	}
}
