// SPDX-License-Identifier: BSD-2-Clause
// sem_timedwait: EINVAL for nanoseconds out of range, EINTR after a handler, also one with SA_RESTART.
#include "../harness.h"

static sem_t s;
static atomic_bool waits;

static void handler(int sig UNUSED)
{
}

static void *body(void *arg)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 10000);

	waits = true;
	CHECK_ERRNO(sem_timedwait(&s, &at), EINTR);
	return arg;
}

int main(void)
{
	struct timespec bad = { .tv_sec = time(NULL) + 10, .tv_nsec = 1000000000 };
	pthread_t t;

	on_signal(SIGUSR1, handler, SA_RESTART);
	CHECK_OK(sem_init(&s, 0, 0));
	CHECK_ERRNO(sem_timedwait(&s, &bad), EINVAL);
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	settle();
	CHECK_OK(pthread_kill(t, SIGUSR1));
	join(t);
}
