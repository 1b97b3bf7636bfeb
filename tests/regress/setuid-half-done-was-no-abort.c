// SPDX-License-Identifier: BSD-2-Clause
// Where one thread may not take the user IDs that the process is given, the process aborts: by SIGABRT, which
// its handler sees.
#include "../posix/harness.h"

static sem_t changed, go;

static void *body(void *arg)
{
	CHECK_OK((int)syscall(SYS_setresuid, 2001, 2002, 2003));
	CHECK_OK(sem_post(&changed));
	CHECK_OK(sem_wait(&go));
	return arg;
}

static void on_abort(int sig UNUSED)
{
	_exit(0);
}

int main(void)
{
	if (geteuid() != 0)
		skip("needs root");
	CHECK_OK(sem_init(&changed, 0, 0));
	CHECK_OK(sem_init(&go, 0, 0));
	spawn(body, NULL);
	CHECK_OK(sem_wait(&changed));
	signal(SIGABRT, on_abort);
	CHECK_OK(setresuid(1001, 1002, 1003));
	CHECK(!"reached");
}
