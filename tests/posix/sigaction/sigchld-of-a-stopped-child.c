// SPDX-License-Identifier: BSD-2-Clause
// POSIX, sigaction: SIGCHLD comes when a child stops (CLD_STOPPED) and goes on (CLD_CONTINUED), with the signal as
// si_status, and with SA_NOCLDSTOP only when it ends. Both while the parent's threads wait and compute.
#include "../harness.h"
#include "../beside.h"

static atomic_int stopped, continued, ended, wrong;
static pid_t child;

static void handler(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	if (info->si_pid != child || info->si_signo != SIGCHLD)
		wrong++;
	else if (info->si_code == CLD_STOPPED && info->si_status == SIGSTOP)
		stopped++;
	else if (info->si_code == CLD_CONTINUED && info->si_status == SIGCONT)
		continued++;
	else if (info->si_code == CLD_KILLED && info->si_status == SIGKILL)
		ended++;
	else
		wrong++;
}

static void catch_children(int flags)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | flags };

	CHECK_OK(sigaction(SIGCHLD, &sa, NULL));
	stopped = continued = ended = 0;
}

/*
 * That it stopped is to be told before it goes on, where that is told: pending at once, they are one signal. And before
 * anybody waits for it: whom the kernel tells of the stop by waitpid takes the signal's number out of the siginfo_t.
 */
static void stop_and_resume(int told)
{
	int status;

	CHECK_OK(kill(child, SIGSTOP));
	WAIT_FOR(stopped == told);
	CHECK_EQ(waitpid(child, &status, WUNTRACED), child);
	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	CHECK_EQ(waitpid(child, &status, WNOHANG | WUNTRACED), 0);	/* told once */
	CHECK_OK(kill(child, SIGCONT));
	CHECK_EQ(waitpid(child, &status, WCONTINUED), child);
	CHECK(WIFCONTINUED(status));
}

static void kill_it(void)
{
	int status;

	CHECK_OK(kill(child, SIGKILL));
	CHECK_EQ(waitpid(child, &status, 0), child);
	WAIT_FOR(ended == 1);
}

static void begin(void)
{
	child = fork_watched();
	if (child == 0)
		for (;;)
			pause();
}

static void *body(void *arg)
{
	catch_children(0);
	begin();
	for (int i = 1; i <= 3; i++) {
		stop_and_resume(i);
		WAIT_FOR(continued == i);
	}
	kill_it();
	catch_children(SA_NOCLDSTOP);
	begin();
	stop_and_resume(0);
	kill_it();
	CHECK_EQ(stopped + continued, 0);
	return arg;
}

int main(void)
{
	beside_begin();
	join(spawn(body, NULL));
	beside_end();
	CHECK_EQ(wrong, 0);
}
