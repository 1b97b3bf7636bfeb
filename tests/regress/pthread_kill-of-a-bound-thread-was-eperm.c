// SPDX-License-Identifier: BSD-2-Clause
// pthread_kill of a thread that has a kernel thread of its own failed with EPERM, but for oneself.
#include "../posix/harness.h"

static pthread_t target;
static sem_t ready, never;
static atomic_int handled, wrong, waits;
static atomic_bool stop;

static void handler(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	if (!pthread_equal(pthread_self(), target) || info->si_code != SI_TKILL || info->si_pid != getpid())
		wrong++;
	handled++;
}

static void *body(void *arg UNUSED)
{
	target = pthread_self();
	errno = 0;
	nice(1);		/* the kernel's to keep, for this thread alone */
	CHECK_EQ(errno, 0);
	CHECK_OK(sem_post(&ready));
	while (!stop) {
		waits++;
		CHECK_ERRNO(sem_wait(&never), EINTR);
	}
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigemptyset(&sa.sa_mask);
	CHECK_OK(sigaction(SIGUSR1, &sa, NULL));
	CHECK_OK(sem_init(&ready, 0, 0));
	CHECK_OK(sem_init(&never, 0, 0));

	pthread_t t = spawn(body, NULL);

	CHECK_OK(sem_wait(&ready));
	CHECK_OK(pthread_kill(t, 0));
	for (int i = 1; i <= 20; i++) {
		WAIT_FOR(waits == i);	/* else it could end before the last one */
		stop = i == 20;
		settle();
		CHECK_OK(pthread_kill(t, SIGUSR1));
		WAIT_FOR(handled == i);
	}
	join(t);
	CHECK_EQ(wrong, 0);
}
