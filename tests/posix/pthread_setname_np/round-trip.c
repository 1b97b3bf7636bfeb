// SPDX-License-Identifier: BSD-2-Clause
// A thread's name can be set and read by itself and by others; more than 15 characters are ERANGE.
#include "../harness.h"

static atomic_int step;

static void *body(void *arg UNUSED)
{
	char name[32];

	CHECK_OK(pthread_setname_np(pthread_self(), "self-named"));
	step = 1;
	WAIT_FOR(step == 2);
	CHECK_OK(pthread_getname_np(pthread_self(), name, sizeof name));
	CHECK(!strcmp(name, "by-another"));
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	char name[32];

	WAIT_FOR(step == 1);
	CHECK_OK(pthread_getname_np(t, name, sizeof name));
	CHECK(!strcmp(name, "self-named"));
	CHECK_OK(pthread_setname_np(t, "by-another"));
	CHECK_EQ(pthread_setname_np(t, "sixteen-letters-"), ERANGE);
	CHECK_EQ(pthread_getname_np(t, name, 3), ERANGE);
	step = 2;
	join(t);
}
