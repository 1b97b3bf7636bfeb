// SPDX-License-Identifier: BSD-2-Clause
// Several threads fork while others allocate, lock and wait; each child starts a thread of its own
// and reports through its exit status.
#include "stress.h"

#define FORKERS 3
#define ROUNDS 100

static atomic_bool stop;
static int p[2];

static void *noise(void *arg)
{
	uint64_t r = seed_for(50 + (int)(intptr_t)arg);
	char c = 'n';

	while (!stop) {
		free(malloc(16 + pick(&r, 4000)));
		CHECK_EQ(write(p[1], &c, 1), 1);
		CHECK_EQ(read(p[0], &c, 1), 1);
		dawdle(&r);
	}
	return NULL;
}

static void *leaf(void *arg)
{
	sleep_ms(1);
	free(malloc(5000));
	return arg;
}

static void *body(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	for (int i = 0; i < ROUNDS; i++) {
		int code = (int)pick(&r, 100), status;
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0) {
			alarm(WATCHDOG_SECONDS);
			CHECK((intptr_t)join(spawn(leaf, (void *)77)) == 77);
			_exit(code);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFEXITED(status));
		CHECK_EQ(WEXITSTATUS(status), code);
		dawdle(&r);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[FORKERS], n[3];

	stress_seed(argc, argv);
	CHECK_OK(pipe(p));
	spawn_many(n, 3, noise);
	spawn_many(t, FORKERS, body);
	join_many(t, FORKERS);
	stop = true;
	join_many(n, 3);
}
