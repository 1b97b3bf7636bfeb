// SPDX-License-Identifier: BSD-2-Clause
// At the limit of processes (RLIMIT_NPROC) pthread_create says EAGAIN or makes a thread that works;
// whoever was made runs and ends though no kernel thread can be added, and when the limit is lifted
// all goes on as ever.
#include "stress.h"
#include <sys/resource.h>

#define N 40
#define NOBODY 64321	/* a user who has no processes: the limit counts them all, and never root's */

static atomic_int done;

static void *body(void *arg UNUSED)
{
	struct timespec t = { .tv_nsec = 2000000 };

	for (int i = 0; i < 5; i++) {
		raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
		for (volatile int n = 0; n < 20000; n++)
			;
		usleep(500);
	}
	done++;
	return NULL;
}

/* Returns how many were made. */
static int make_all(pthread_t *t)
{
	int made = 0;

	for (int i = 0; i < N; i++) {
		int err = pthread_create(&t[made], NULL, body, NULL);

		if (err)
			CHECK_EQ(err, EAGAIN);
		else
			made++;
	}
	return made;
}

static void round_at(rlim_t limit, rlim_t most)
{
	struct rlimit lim = { limit, most };
	pthread_t t[N];
	int made;

	CHECK_OK(setrlimit(RLIMIT_NPROC, &lim));
	done = 0;
	made = make_all(t);
	for (int i = 0; i < made; i++)
		join(t[i]);
	CHECK_EQ(done, made);
	printf("limit %ld: %d of %d threads\n", (long)limit, made, N);
	if (limit == most)
		CHECK_EQ(made, N);
}

int main(int argc, char **argv)
{
	stress_seed(argc, argv);
	if (geteuid() != 0)
		skip("not root: the limit counts whatever else the user runs");
	CHECK_OK(setresuid(NOBODY, NOBODY, NOBODY));
	for (rlim_t limit = 1; limit <= 6; limit++)
		round_at(limit, 1000);
	round_at(1000, 1000);
}
