// SPDX-License-Identifier: BSD-2-Clause
// The new thread inherits the floating-point environment of its creator, and changing it
// afterwards affects one thread only.
#include "../harness.h"
#include <fenv.h>

static atomic_int step;

static void *body(void *arg UNUSED)
{
	CHECK_EQ(fegetround(), FE_UPWARD);
	CHECK_OK(fesetround(FE_DOWNWARD));
	step = 1;
	WAIT_FOR(step == 2);
	CHECK_EQ(fegetround(), FE_DOWNWARD);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(fesetround(FE_UPWARD));
	t = spawn(body, NULL);
	WAIT_FOR(step == 1);
	CHECK_EQ(fegetround(), FE_UPWARD);
	step = 2;
	join(t);
	CHECK_EQ(fegetround(), FE_UPWARD);
}
