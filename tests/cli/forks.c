// SPDX-License-Identifier: BSD-2-Clause
/* How many page faults a child of fork takes that ends at once: 100 children of a process with so many threads and descriptors. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 100 };

static long faults(int who)
{
	struct rusage r;

	getrusage(who, &r);
	return r.ru_minflt;
}

/* One that has waited for a descriptor: much is remembered of that. */
static void *reader(void *arg)
{
	int *pair = arg;
	char c;

	if (read(pair[0], &c, 1) != 1)
		abort();
	pause();
	return NULL;
}

static void start(int pair[2])
{
	pthread_t t;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pthread_create(&t, NULL, reader, pair))
		abort();
	usleep(1000);
	if (write(pair[1], "", 1) != 1)
		abort();
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 0;
	int (*pairs)[2] = calloc((size_t)threads + 1, sizeof(*pairs));

	for (int i = 0; i < threads; i++)
		start(pairs[i]);
	usleep(20000);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (pid < 0)
			abort();
		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	printf("%ld\n", faults(RUSAGE_CHILDREN) / CHILDREN);
	return 0;
}
