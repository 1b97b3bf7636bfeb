// SPDX-License-Identifier: BSD-2-Clause
// Who is cancelled in system() leaves no shell behind: it is killed and waited for, and SIGINT is what it was before
// when the last of those that were in system() is gone, not sooner (glibc; POSIX, system: what is ignored is so until
// the command has ended).
#include "../harness.h"

enum { N = 2 };

static int p[2];

/* The command says its process ID, which is the shell's. */
static void *body(void *arg)
{
	char command[64];

	snprintf(command, sizeof command, "echo $$ >&%d; exec sleep 60", p[1]);
	(void)!system(command);
	return arg;
}

static pid_t begin(pthread_t *ret_thread)
{
	char line[16] = { 0 };

	*ret_thread = spawn(body, NULL);
	for (size_t n = 0; n == 0 || line[n - 1] != '\n'; n++) {
		CHECK(n < sizeof line - 1);
		CHECK_EQ(read(p[0], line + n, 1), 1);
	}
	return (pid_t)atoi(line);
}

static void *handler_of(int sig)
{
	struct sigaction sa;

	CHECK_OK(sigaction(sig, NULL, &sa));
	return (void *)sa.sa_handler;
}

static void handler(int sig UNUSED)
{
}

int main(void)
{
	pthread_t t[N];
	pid_t pid[N];

	on_signal(SIGINT, handler, 0);
	CHECK_OK(pipe(p));
	for (int i = 0; i < N; i++)
		pid[i] = begin(&t[i]);
	for (int i = 0; i < N; i++) {
		CHECK(handler_of(SIGINT) == (void *)SIG_IGN);
		CHECK_OK(kill(pid[i], 0));
		CHECK_OK(pthread_cancel(t[i]));
		CHECK(join(t[i]) == PTHREAD_CANCELED);
		CHECK_ERRNO(kill(pid[i], 0), ESRCH);
	}
	CHECK(handler_of(SIGINT) == (void *)handler);
	CHECK(handler_of(SIGQUIT) == (void *)SIG_DFL);
	CHECK_ERRNO(waitpid(-1, NULL, WNOHANG), ECHILD);
	CHECK_EQ(system("exit 0"), 0);
}
