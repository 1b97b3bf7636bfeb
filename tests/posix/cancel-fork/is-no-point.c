// SPDX-License-Identifier: BSD-2-Clause
// fork is no cancellation point (POSIX, 2.9.5.2, does not name it): with a request pending, or coming at that moment,
// the child is there and its number is told; others can fork afterwards.
#include "../harness.h"

enum { THREADS = 8 };

static atomic_int forked, children;
static atomic_bool begun;

static void reap(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void fork_one(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	forked++;
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	reap(pid);
	children++;
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
}

static void *forks_in_a_loop(void *arg UNUSED)
{
	begun = true;
	for (;;) {
		fork_one();
		pthread_testcancel();
	}
	return NULL;
}

static void *forks_with_a_request(void *arg UNUSED)
{
	CHECK_OK(pthread_cancel(pthread_self()));
	fork_one();
	begun = true;
	pthread_testcancel();
	return NULL;
}

static void uses_memory_and_threads(void)
{
	free(malloc(100));
	join(spawn(nothing, NULL));
}

int main(void)
{
	CHECK(join(spawn(forks_with_a_request, NULL)) == PTHREAD_CANCELED);
	CHECK(begun);
	CHECK_EQ(children, 1);
	for (int i = 0; i < THREADS; i++) {
		begun = false;
		pthread_t t = spawn(forks_in_a_loop, NULL);

		WAIT_FOR(begun);
		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
		CHECK_EQ(children, forked);
	}
	CHECK_ERRNO(waitpid(-1, NULL, WNOHANG), ECHILD);
	CHECK_EQ(in_child(uses_memory_and_threads), 0);
}
