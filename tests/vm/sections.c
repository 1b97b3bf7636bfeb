// SPDX-License-Identifier: BSD-2-Clause
/*
 * sections MS: sections that are not to be preempted, one after the other, for so long, by two threads and, at the same time,
 * by two of a forked child; beside a process that computes on the same processor the kernel has reason to end some amid.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <upcall/upcall.h>

static uint64_t end_ns;
static atomic_ulong sections;

static void *enter_often(void *arg)
{
	while (upcall_now() < end_ns)
		for (int i = 0; i < 100; i++) {
			upcall_nopreempt_begin();
			for (volatile int n = 0; n < 300; n++)
				;
			upcall_nopreempt_end();
			sections++;
		}
	return arg;
}

static int run(void)
{
	upcall_t t;

	if (upcall_create(&t, NULL, enter_often, NULL))
		return 1;
	enter_often(NULL);
	return upcall_join(t, NULL) != 0 || sections < 100;
}

int main(int argc, char **argv)
{
	int status = 1;

	end_ns = upcall_now() + 1000000 * (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000);
	if (upcall_init(NULL))
		return 1;
	upcall_t first;			/* so that it is a program of several threads that forks */

	if (upcall_create(&first, NULL, enter_often, NULL))
		return 1;
	pid_t child = fork();

	if (child == 0)
		_exit(run());
	bool is_good = run() == 0 && upcall_join(first, NULL) == 0 && waitpid(child, &status, 0) == child && status == 0;

	printf("%lu sections\n", (unsigned long)sections);
	return !is_good;
}
