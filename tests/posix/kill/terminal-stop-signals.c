// SPDX-License-Identifier: BSD-2-Clause
// POSIX, <signal.h>: the default action of SIGTSTP, SIGTTIN and SIGTTOU is to stop the process, all its threads,
// whoever sends it: another process, a thread to the process, to itself, or to one that waits or computes. A handler
// may take it, give it back its default, and stop by it, as editors do. Ignored it does not stop.
#include "../harness.h"

static struct shared {
	atomic_ullong computed, beats;
	atomic_int made, ready, resumed;
} *shared;

static int sig;
static pthread_t waiter, computer;
static void (*how)(void);

static void *computes(void *arg)
{
	for (;;)
		shared->computed++;
	return arg;
}

static void *beats(void *arg)
{
	for (;;) {
		shared->beats++;
		sleep_ms(1);
	}
	return arg;
}

static void *waits(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void by_parent(void) { }
static void to_process(void) { CHECK_OK(kill(getpid(), sig)); }
static void to_itself(void) { CHECK_OK(raise(sig)); }
static void to_waiting(void) { CHECK_OK(pthread_kill(waiter, sig)); }
static void to_computing(void) { CHECK_OK(pthread_kill(computer, sig)); }

static void handler(int got)
{
	CHECK(signal(got, SIG_DFL) != SIG_ERR);
	unblock_signal(got);
	CHECK_OK(raise(got));
	CHECK_EQ(shared->resumed, 1);
	on_signal(got, handler, 0);
	shared->resumed = 2;
}

static void by_handler(void)
{
	on_signal(sig, handler, 0);
	CHECK_OK(raise(sig));
	CHECK_EQ(shared->resumed, 2);
	shared->resumed = 1;
}

static void *sends(void *arg)
{
	WAIT_FOR(shared->made);
	signal(sig, SIG_IGN);
	CHECK_OK(raise(sig));
	CHECK_OK(kill(getpid(), sig));
	signal(sig, SIG_DFL);
	WAIT_FOR(shared->computed && shared->beats);
	shared->ready = 1;
	how();
	while (shared->resumed != 1)	/* it is stopped for who knows how long */
		sleep_ms(1);
	return arg;
}

/* In a process group of its own, which is not an orphaned one: there these signals would be without effect. */
static void be_stopped(void)
{
	CHECK_OK(setpgid(0, 0));
	waiter = spawn(waits, NULL);
	computer = spawn(computes, NULL);
	spawn(beats, NULL);

	pthread_t sender = spawn(sends, NULL);

	shared->made = 1;	/* libc's pthread_create blocks all signals: the kernel would keep what main blocks */
	join(sender);
	_exit(0);
}

static void stop_and_resume(void)
{
	pid_t pid = fork_watched();
	int status;

	if (pid == 0)
		be_stopped();
	WAIT_FOR(shared->ready);
	if (how == by_parent)
		CHECK_OK(kill(pid, sig));
	CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
	CHECK(WIFSTOPPED(status));
	CHECK_EQ(WSTOPSIG(status), sig);

	unsigned long long computed = shared->computed, beaten = shared->beats;

	settle();
	CHECK_EQ(shared->computed, computed);
	CHECK_EQ(shared->beats, beaten);
	shared->resumed = 1;
	CHECK_OK(kill(pid, SIGCONT));
	CHECK_EQ(waitpid(pid, &status, WCONTINUED), pid);
	if (WIFCONTINUED(status))
		CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

int main(void)
{
	static void (*const ways[])(void) = { by_parent, to_process, to_itself, to_waiting, to_computing, by_handler };
	static const int signals[] = { SIGTSTP, SIGTTIN, SIGTTOU };

	shared = shared_memory(sizeof *shared);
	for (int i = 0; i < 6; i++) {
		memset(shared, 0, sizeof(*shared));
		how = ways[i];
		sig = signals[i % 3];
		stop_and_resume();
	}
}
