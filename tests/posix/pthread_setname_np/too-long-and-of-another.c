// SPDX-License-Identifier: BSD-2-Clause
// A name of sixteen bytes is ERANGE, one of fifteen fits; the name of another thread may be set and
// read.
#include "../harness.h"

static atomic_bool over;

static void *body(void *arg)
{
	WAIT_FOR(over);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	char name[16];

	CHECK_EQ(pthread_setname_np(t, "0123456789abcdef"), ERANGE);
	CHECK_OK(pthread_setname_np(t, "0123456789abcde"));
	CHECK_OK(pthread_getname_np(t, name, sizeof name));
	CHECK_EQ(strcmp(name, "0123456789abcde"), 0);
	CHECK_EQ(pthread_getname_np(t, name, 4), ERANGE);
	over = true;
	join(t);
}
