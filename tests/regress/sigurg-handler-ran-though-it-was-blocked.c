// SPDX-License-Identifier: BSD-2-Clause
// SIGURG that a thread blocks while it is sent is handled when it is let in, not before.  Nor does it end a call then.
#include "../posix/harness.h"
#include <sys/ipc.h>
#include <sys/msg.h>
#include <ucontext.h>

enum { ROUNDS = 30000 };

static atomic_bool stop;
static atomic_int runs, too_early, waits;
static int queue;

static void urgent(int sig, siginfo_t *info, void *uc)
{
	(void)info;
	runs++;
	if (sigismember(&((ucontext_t *)uc)->uc_sigmask, sig))
		too_early++;
}

static sigset_t only_urg(void)
{
	sigset_t set;

	CHECK_OK(sigemptyset(&set));
	CHECK_OK(sigaddset(&set, SIGURG));
	return set;
}

static void *blocks_now_and_then(void *arg)
{
	sigset_t urg = only_urg();

	while (!stop) {
		CHECK_OK(pthread_sigmask(SIG_BLOCK, &urg, NULL));
		for (int i = 0; i < 300; i++)
			atomic_signal_fence(memory_order_seq_cst);
		CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &urg, NULL));
	}
	return arg;
}

static void *receives(void *arg)
{
	struct { long type; char byte; } m;

	waits++;
	CHECK(msgrcv(queue, &m, 1, 0, 0) == 1);
	return arg;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = urgent, .sa_flags = SA_SIGINFO };
	struct { long type; char byte; } m = { 1, 0 };
	sigset_t urg = only_urg();
	pthread_t t;

	CHECK_OK(sigaction(SIGURG, &sa, NULL));
	CHECK_OK(pthread_create(&t, NULL, blocks_now_and_then, NULL));
	for (int round = 0; round < ROUNDS; round++)
		CHECK_OK(pthread_kill(t, SIGURG));
	stop = true;
	CHECK_OK(pthread_join(t, NULL));
	CHECK(runs > 0);
	CHECK(too_early == 0);

	queue = msgget(IPC_PRIVATE, 0600);
	CHECK(queue >= 0);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &urg, NULL));
	CHECK_OK(pthread_create(&t, NULL, receives, NULL));
	while (!waits)
		usleep(100);
	runs = 0;
	for (int round = 0; round < 20; round++) {
		usleep(5000);
		CHECK_OK(kill(getpid(), SIGURG));
		CHECK_OK(pthread_kill(t, SIGURG));
	}
	CHECK_OK(msgsnd(queue, &m, 1, 0));
	CHECK_OK(pthread_join(t, NULL));
	CHECK_OK(msgctl(queue, IPC_RMID, NULL));
	CHECK(runs == 0);
	CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &urg, NULL));
	if (runs != 1)
		fprintf(stderr, "%d runs\n", runs);
	CHECK(runs == 1);
	return 0;
}
