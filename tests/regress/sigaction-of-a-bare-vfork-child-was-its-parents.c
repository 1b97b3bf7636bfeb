// SPDX-License-Identifier: BSD-2-Clause
// A child that shares the memory, by a system call of the program's own (as Go makes them), has actions of its own.
#include "../posix/harness.h"
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static atomic_int got;

static void handles(int sig)
{
	(void)sig;
	got++;
}

#ifdef __x86_64__
static char stack[1 << 16] __attribute__((aligned(16)));

__attribute__((noreturn)) static void child(void)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };

	sigaction(SIGUSR1, &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGUSR2, &sa, NULL);
	sigaction(SIGUSR2, NULL, &sa);
	_exit(sa.sa_handler == SIG_IGN ? 3 : 4);
}

static pid_t make_child(void)
{
	void **top = (void **)(stack + sizeof(stack)) - 4;
	long r;

	top[0] = child;
	__asm__ volatile("syscall; test %%rax, %%rax; jnz 1f; pop %%rdx; push $0; call *%%rdx; 1:"
			 : "=a"(r) : "a"(SYS_clone), "D"((long)(CLONE_VM | CLONE_VFORK | SIGCHLD)), "S"(top), "d"(0L)
			 : "rcx", "r8", "r9", "r10", "r11", "memory");
	return (pid_t)r;
}
#else
static pid_t make_child(void)
{
	exit(77);
}
#endif

static void *makes_children(void *arg)
{
	for (int i = 0; i < 20; i++) {
		int status;
		pid_t pid = make_child();

		CHECK(pid > 0);
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	}
	return arg;
}

static void check(void)
{
	struct sigaction sa;
	int before = got;

	CHECK_OK(sigaction(SIGUSR1, NULL, &sa));
	CHECK(sa.sa_handler == handles);
	CHECK_OK(raise(SIGUSR1));
	CHECK_OK(raise(SIGUSR2));
	CHECK(got == before + 2);
}

int main(void)
{
	struct sigaction sa = { .sa_handler = handles };
	pthread_t t;

	CHECK_OK(sigaction(SIGUSR1, &sa, NULL));
	CHECK_OK(sigaction(SIGUSR2, &sa, NULL));
	makes_children(NULL);
	check();
	CHECK_OK(pthread_create(&t, NULL, makes_children, NULL));
	CHECK_OK(pthread_join(t, NULL));
	check();

	pid_t pid = fork();		/* whose table is its own, and which has such children in turn */

	CHECK(pid >= 0);
	if (pid == 0) {
		makes_children(NULL);
		check();
		_exit(0);
	}
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return 0;
}
