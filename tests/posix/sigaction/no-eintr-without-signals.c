// SPDX-License-Identifier: BSD-2-Clause
// Calls that a busy program makes while others compute never fail with EINTR when no signal was
// sent to the program.
#include "../harness.h"

static atomic_bool stop;

static void *spins(void *arg UNUSED)
{
	volatile unsigned long n = 0;

	while (!stop)
		n = n + 1;
	return NULL;
}

static void *calls(void *arg UNUSED)
{
	int p[2];
	char c;
	sem_t s;

	CHECK_OK(pipe(p));
	CHECK_OK(sem_init(&s, 0, 0));
	for (int i = 0; i < 60; i++) {
		struct timespec t = ms_span(1), at = in_ms(CLOCK_REALTIME, 1);

		if (!is_due((unsigned)i, 4))
			continue;
		CHECK_OK(nanosleep(&t, NULL));
		CHECK_EQ(poll(NULL, 0, 1), 0);
		CHECK_ERRNO(sem_timedwait(&s, &at), ETIMEDOUT);
		CHECK_EQ(write(p[1], "x", 1), 1);
		CHECK_EQ(read(p[0], &c, 1), 1);
		CHECK_OK(syscall(SYS_nanosleep, &t, NULL));
	}
	return NULL;
}

int main(void)
{
	pthread_t s[3], c[3];

	spawn_many(s, 3, spins);
	spawn_many(c, 3, calls);
	join_many(c, 3);
	stop = true;
	join_many(s, 3);
}
