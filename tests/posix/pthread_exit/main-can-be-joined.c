// SPDX-License-Identifier: BSD-2-Clause
// The initial thread can be joined by another after it called pthread_exit.
#include "../harness.h"

static pthread_t first;

static void *body(void *arg UNUSED)
{
	void *ret = NULL;

	CHECK_OK(pthread_join(first, &ret));
	CHECK(ret == &first);
	_exit(0);
}

int main(void)
{
	first = pthread_self();
	spawn(body, NULL);
	pthread_exit(&first);
}
