// SPDX-License-Identifier: BSD-2-Clause
// A child that was forked while another thread loaded a library cancels a thread that waits: what unwinds it was found in the
// parent, by the first thread that ended so.
#include "../posix/harness.h"
#include <dlfcn.h>

enum { CHILDREN = 60 };

static atomic_bool is_over;

static void *loads(void *arg)
{
	(void)arg;
	while (!is_over) {
		void *library = dlopen("libutil.so.1", RTLD_NOW);

		if (library)
			dlclose(library);
	}
	return NULL;
}

static void *waits(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void *leaves(void *arg)
{
	pthread_exit(arg);
}

static void cancel_one(void)
{
	void *result;
	pthread_t t;

	CHECK_OK(pthread_create(&t, NULL, waits, NULL));
	usleep(300);
	CHECK_OK(pthread_cancel(t));
	CHECK_OK(pthread_join(t, &result));
	CHECK(result == PTHREAD_CANCELED);
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_create(&t, NULL, leaves, NULL));
	CHECK_OK(pthread_join(t, NULL));
	CHECK_OK(pthread_create(&t, NULL, loads, NULL));
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			cancel_one();
			_exit(0);
		}
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(status == 0);
	}
	is_over = true;
	CHECK_OK(pthread_join(t, NULL));
	return 0;
}
