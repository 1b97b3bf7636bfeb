// SPDX-License-Identifier: BSD-2-Clause
// In the child the forking thread keeps its values of keys, its TLS, its name and its errno.
#include "../harness.h"

static pthread_key_t key;
static __thread int local;

static void *body(void *arg)
{
	char name[16];
	pid_t pid;
	int status;

	CHECK_OK(pthread_setspecific(key, &local));
	CHECK_OK(pthread_setname_np(pthread_self(), "forker"));
	local = 9;
	errno = EDOM;
	pid = fork_watched();
	if (pid == 0) {
		CHECK_EQ(local, 9);
		CHECK(pthread_getspecific(key) == &local);
		CHECK_OK(pthread_getname_np(pthread_self(), name, sizeof name));
		CHECK_EQ(strcmp(name, "forker"), 0);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, NULL));
	join(spawn(body, NULL));
}
