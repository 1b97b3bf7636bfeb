// SPDX-License-Identifier: BSD-2-Clause
// A control that was completed before fork is complete in the child.
#include "../harness.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls;

static void init(void)
{
	calls++;
}

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_once(&once, init));
	return NULL;
}

static void child(void)
{
	CHECK_OK(pthread_once(&once, init));
	join(spawn(body, NULL));
	CHECK_EQ(calls, 1);
}

int main(void)
{
	join(spawn(body, NULL));
	CHECK_EQ(in_child(child), 0);
}
