// SPDX-License-Identifier: BSD-2-Clause
// The name of the main thread is that of the process, proc(5): it shows in /proc/self/comm, whoever sets it, and what
// others call themselves does not.
#include "../beside.h"
#include <sys/prctl.h>

static pthread_t main_thread;

static void is_called(const char *want)
{
	char got[32] = "";
	int fd = open("/proc/self/comm", O_RDONLY);

	CHECK(fd >= 0);
	CHECK(read(fd, got, sizeof got - 1) > 0);
	CHECK_OK(close(fd));
	got[strcspn(got, "\n")] = 0;
	CHECK(!strcmp(got, want));
}

static void *body(void *arg)
{
	char name[16];

	is_called("begun");
	CHECK_OK(prctl(PR_SET_NAME, "another"));
	is_called("begun");
	CHECK_OK(pthread_setname_np(pthread_self(), "again"));
	is_called("begun");
	CHECK_OK(pthread_setname_np(main_thread, "told"));
	is_called("told");
	CHECK_OK(prctl(PR_GET_NAME, name));
	CHECK(!strcmp(name, "again"));
	return arg;
}

int main(void)
{
	char name[16];

	main_thread = pthread_self();
	CHECK_OK(prctl(PR_SET_NAME, "begun"));
	is_called("begun");
	beside_begin();
	is_called("begun");
	join(spawn(body, NULL));
	is_called("told");
	CHECK_OK(prctl(PR_GET_NAME, name));
	CHECK(!strcmp(name, "told"));
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof name, "name-%d", i);
		CHECK_OK(prctl(PR_SET_NAME, name));
		sched_yield();
		is_called(name);
	}
	beside_end();
}
