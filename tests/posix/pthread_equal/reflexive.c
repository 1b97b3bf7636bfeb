// SPDX-License-Identifier: BSD-2-Clause
// pthread_equal is not 0 for the same thread and 0 for two that live at the same time.
#include "../harness.h"

static pthread_t mine;

static void *body(void *arg)
{
	CHECK(pthread_equal(pthread_self(), pthread_self()) != 0);
	CHECK_EQ(pthread_equal(pthread_self(), mine), 0);
	return arg;
}

int main(void)
{
	mine = pthread_self();
	join(spawn(body, NULL));
	CHECK(pthread_equal(mine, pthread_self()) != 0);
}
