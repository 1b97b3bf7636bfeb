// SPDX-License-Identifier: BSD-2-Clause
// A handler that changes the mask in its context changes that of its thread: what it lets in, which no other thread
// admits, comes, though the thread waits by then; what it blocks does not, until another handler lets that in.
#include "../harness.h"

static sem_t handled, stay;
static sigset_t alarm_only;
static atomic_int calls;

static void count(int sig UNUSED)
{
	calls++;
	sem_post(&handled);
}

static sigset_t *mask_in(void *context)
{
	return &((ucontext_t *)context)->uc_sigmask;
}

static void let_in(int sig UNUSED, siginfo_t *info UNUSED, void *context)
{
	sigdelset(mask_in(context), SIGVTALRM);
}

static void block(int sig UNUSED, siginfo_t *info UNUSED, void *context)
{
	sigaddset(mask_in(context), SIGVTALRM);
}

static void *body(void *arg)
{
	sigset_t now;

	CHECK_OK(pthread_sigmask(SIG_BLOCK, &alarm_only, NULL));
	CHECK_OK(raise(SIGUSR1));
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
	CHECK(!sigismember(&now, SIGVTALRM));
	CHECK_OK(sem_post(&stay));
	while (sem_wait(&handled))
		CHECK_EQ(errno, EINTR);
	CHECK_OK(raise(SIGUSR2));
	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
	CHECK(sigismember(&now, SIGVTALRM));
	CHECK_OK(sem_post(&stay));
	sleep_ms(50);
	CHECK_EQ(calls, 1);
	CHECK_OK(raise(SIGUSR1));
	while (sem_wait(&handled))
		CHECK_EQ(errno, EINTR);
	CHECK_EQ(calls, 2);
	return arg;
}

/* By another process, which knows nothing of threads. */
static void have_it_sent(void)
{
	pid_t child;
	int status;

	while (sem_wait(&stay))
		CHECK_EQ(errno, EINTR);
	settle();
	child = fork_watched();
	if (child == 0)
		_exit(kill(getppid(), SIGVTALRM) != 0);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

int main(void)
{
	pthread_t t;

	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGVTALRM);
	CHECK_OK(sem_init(&handled, 0, 0));
	CHECK_OK(sem_init(&stay, 0, 0));
	on_signal(SIGVTALRM, count, SA_RESTART);
	CHECK_OK(sigaction(SIGUSR1, &(struct sigaction){ .sa_sigaction = let_in, .sa_flags = SA_SIGINFO }, NULL));
	CHECK_OK(sigaction(SIGUSR2, &(struct sigaction){ .sa_sigaction = block, .sa_flags = SA_SIGINFO }, NULL));
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &alarm_only, NULL));
	t = spawn(body, NULL);
	have_it_sent();
	have_it_sent();
	join(t);
}
