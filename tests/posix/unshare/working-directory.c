// SPDX-License-Identifier: BSD-2-Clause
// After unshare(CLONE_FS) a thread's chdir is its own; without it, it is the process's.
#include "../harness.h"

static atomic_int step;

static void check_cwd(const char *want)
{
	char got[256];

	CHECK(getcwd(got, sizeof got) != NULL);
	CHECK(!strcmp(got, want));
}

static void *alone(void *arg UNUSED)
{
	unshare_or_skip(CLONE_FS);
	CHECK_OK(chdir("/"));
	step = 1;
	WAIT_FOR(step == 2);
	check_cwd("/");
	return NULL;
}

static void *together(void *arg UNUSED)
{
	CHECK_OK(chdir("/dev"));
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(chdir("/tmp"));
	t = spawn(alone, NULL);
	WAIT_FOR(step == 1);
	check_cwd("/tmp");
	join(spawn(together, NULL));
	check_cwd("/dev");
	step = 2;
	join(t);
	check_cwd("/dev");
}
