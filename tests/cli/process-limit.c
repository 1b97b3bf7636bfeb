// SPDX-License-Identifier: BSD-2-Clause
/* process-limit: more threads block in the kernel than a user who may have no more processes has kernel threads. */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { N = 12, NOBODY = 64321 };

static void *blocks(void *arg)
{
	struct timespec t = { 1, 500000000 };

	syscall(SYS_nanosleep, &t, NULL);
	return arg;
}

int main(void)
{
	struct rlimit none = { 1, 1 };
	pthread_t t[N];

	if (setresuid(NOBODY, NOBODY, NOBODY)) {
		perror("setresuid");
		return 77;
	}
	for (int i = 0; i < N; i++) {
		if (i == 1 && setrlimit(RLIMIT_NPROC, &none))
			return 1;
		if (pthread_create(&t[i], NULL, blocks, NULL))
			return 1;
	}
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
}
