// SPDX-License-Identifier: BSD-2-Clause
// A fault whose signal is blocked, or ignored, ends the process by that signal, whatever handler there is (POSIX leaves
// it undefined, the kernel forces it): in main, beside threads, in another thread, and in the signal's own handler.
#include "../harness.h"
#include <sys/resource.h>

static int sent;

static void must_not_run(int sig UNUSED)
{
	_exit(3);
}

static void fault(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, memfd_create("empty", 0), 0);

	switch (sent) {
	case SIGSEGV: __asm__ volatile("movb $1, (%0)" : : "r"(16l) : "memory"); break;
	case SIGBUS: *(volatile char *)p = 1; break;
	case SIGFPE: __asm__ volatile("divl %0" : : "r"(0) : "rax", "rdx", "cc"); break;
	case SIGILL: __asm__ volatile("ud2"); break;
	default: __asm__ volatile("int3");
	}
	_exit(4);
}

static void blocked(void)
{
	on_signal(sent, must_not_run, 0);
	block_signal(sent);
	fault();
}

static void ignored(void)
{
	CHECK(signal(sent, SIG_IGN) != SIG_ERR);
	fault();
}

static void faults_again(int sig UNUSED)
{
	static atomic_int calls;

	if (calls++)
		_exit(5);
	fault();
}

static void in_its_handler(void)
{
	on_signal(sent, faults_again, 0);
	fault();
}

static void (*way)(void);

static void *in_a_thread(void *arg)
{
	way();
	return arg;
}

static void *waits(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *computes(void *arg)
{
	for (volatile int i = 0;; i++)
		;
	return arg;
}

static void alone(void)
{
	way();
}

static void others(void)
{
	const struct rlimit none = { 0 };

	CHECK_OK(setrlimit(RLIMIT_CORE, &none));
	spawn(waits, NULL);
}

static void main_beside_threads(void)
{
	others();
	way();
}

static void another_thread(void)
{
	others();
	spawn(computes, NULL);
	join(spawn(in_a_thread, NULL));
}

int main(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	static void (*const ways[])(void) = { blocked, ignored, in_its_handler };
	static void (*const wheres[])(void) = { alone, main_beside_threads, another_thread };
	const struct rlimit none = { 0 };

	CHECK_OK(setrlimit(RLIMIT_CORE, &none));
	for (int i = 0; i < 15; i++) {
		sent = signals[i / 3];
		way = ways[i % 3];

		int status = in_child(wheres[(i / 3 + i) % 3]);

		CHECK(WIFSIGNALED(status));
		CHECK_EQ(WTERMSIG(status), sent);
	}
}
