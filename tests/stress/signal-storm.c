// SPDX-License-Identifier: BSD-2-Clause
// Directed and process-wide signals rain on threads that lock, wait, sleep and read: nothing is
// lost, no call fails with anything but EINTR where it may.
#include "stress.h"

#define N 8
#define SIGNALS 10000

static pthread_t t[N];
static __thread int me = -1;
static atomic_int directed[N], process_wide, misdirected;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static atomic_bool stop;
static volatile int inside;

static void on_directed(int sig UNUSED, siginfo_t *info, void *ctx UNUSED)
{
	if (info->si_value.sival_int != me)
		misdirected++;
	else
		directed[me]++;
}

static void on_process(int sig UNUSED)
{
	process_wide++;
}

static void step(uint64_t *r)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 1);
	int rc = 0;

	switch (pick(r, 4)) {
	case 0:
		CHECK_OK(pthread_mutex_lock(&lock));
		CHECK_EQ(inside++, 0);
		while (rc == 0)
			inside--, rc = pthread_cond_timedwait(&cond, &lock, &at), inside++;
		CHECK_EQ(rc, ETIMEDOUT);
		inside--;
		CHECK_OK(pthread_mutex_unlock(&lock));
		break;
	case 1:
		if (sem_timedwait(&sem, &at) == -1)
			CHECK(errno == ETIMEDOUT || errno == EINTR);
		break;
	case 2:
		if (poll(NULL, 0, 1) == -1)
			CHECK_EQ(errno, EINTR);
		break;
	default:
		dawdle(r);
	}
}

static void *body(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	me = (int)(intptr_t)arg;
	unblock_signal(SIGRTMIN);
	while (!stop)
		step(&r);
	return NULL;
}

static int total(void)
{
	int n = 0;

	for (int i = 0; i < N; i++)
		n += directed[i];
	return n;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = on_directed, .sa_flags = SA_SIGINFO | SA_RESTART };
	uint64_t r;

	stress_seed(argc, argv);
	r = seed_for(-1);
	CHECK_OK(sem_init(&sem, 0, 0));
	CHECK_OK(sigaction(SIGRTMIN, &sa, NULL));
	on_signal(SIGRTMIN + 1, on_process, SA_RESTART);
	block_signal(SIGRTMIN);
	spawn_many(t, N, body);
	for (int i = 1; i <= SIGNALS; i++) {
		int k = (int)pick(&r, N);

		CHECK_OK(pthread_sigqueue(t[k], SIGRTMIN, (union sigval){ .sival_int = k }));
		CHECK_OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = i }));
		if (i % 50 == 0)
			WAIT_FOR(total() == i && process_wide == i);
	}
	WAIT_FOR(total() == SIGNALS && process_wide == SIGNALS);
	stop = true;
	join_many(t, N);
	CHECK_EQ(misdirected, 0);
}
