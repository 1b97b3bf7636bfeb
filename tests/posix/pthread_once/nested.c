// SPDX-License-Identifier: BSD-2-Clause
// The routine of one control may call pthread_once on another.
#include "../harness.h"

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static int log_, n;

static void init_inner(void)
{
	log_ = log_ * 10 + 1;
}

static void init_outer(void)
{
	CHECK_OK(pthread_once(&inner, init_inner));
	log_ = log_ * 10 + 2;
}

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_once(&outer, init_outer));
	n++;
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
	join(spawn(body, NULL));
	CHECK_EQ(log_, 12);
	CHECK_EQ(n, 2);
}
