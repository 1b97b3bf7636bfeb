// SPDX-License-Identifier: BSD-2-Clause
// What a thread that is bound to a CPU calls itself by prctl is its name for pthread_getname_np, in others too.
#include "../harness.h"
#include <sys/prctl.h>

static atomic_bool has_name, may_go;

static void *body(void *arg)
{
	cpu_set_t one = one_cpu();
	char got[16];

	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof one, &one));
	CHECK_OK(prctl(PR_SET_NAME, "bound"));
	CHECK_OK(prctl(PR_GET_NAME, got));
	CHECK(!strcmp(got, "bound"));
	CHECK_OK(pthread_getname_np(pthread_self(), got, sizeof got));
	CHECK(!strcmp(got, "bound"));
	has_name = true;
	WAIT_FOR(may_go);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	char got[16];

	WAIT_FOR(has_name);
	CHECK_OK(pthread_getname_np(t, got, sizeof got));
	CHECK(!strcmp(got, "bound"));
	may_go = true;
	join(t);
}
