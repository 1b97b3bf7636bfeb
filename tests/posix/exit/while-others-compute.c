// SPDX-License-Identifier: BSD-2-Clause
// exit ends a process whose other threads compute, wait, read and sleep, with its own status.
#include "../harness.h"

static int fd[2];
static sem_t s;
static atomic_int in;

static void *other(void *arg)
{
	char c;

	in++;
	switch ((intptr_t)arg % 4) {
	case 0:
		for (;;)
			;
	case 1:
		(void)!read(fd[0], &c, 1);
		break;
	case 2:
		sem_wait(&s);
		break;
	default:
		sleep_ms(100000);
	}
	return NULL;
}

static void child(void)
{
	pthread_t t[8];

	sem_init(&s, 0, 0);
	spawn_many(t, 8, other);
	WAIT_FOR(in == 8);
	exit(7);
}

int main(void)
{
	CHECK_OK(pipe(fd));
	CHECK_EQ(in_child(child), 7 << 8);
}
