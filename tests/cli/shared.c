// SPDX-License-Identifier: BSD-2-Clause
/* shared N: N threads compute until it is killed; says how many vprocs it is to run, when that changes. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <upcall/page.h>

static void *compute(void *arg)
{
	volatile uint64_t n = 0;

	for (;;)
		n++;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;
	uint32_t given = 0;

	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
		if (pthread_create(&t, NULL, compute, NULL))
			return 1;
	const volatile struct upcall_registers *(*find)(void);

	*(void **)&find = dlsym(RTLD_DEFAULT, "upcall_registers");
	for (; find; usleep(10000)) {
		if (find()->vprocs_given == given)
			continue;
		given = find()->vprocs_given;
		printf("%u\n", given);
		fflush(stdout);
	}
	return 1;
}
