// SPDX-License-Identifier: BSD-2-Clause
// The handler of a fault is told what it was and where (sigaction(2), si_code and si_addr), in the thread that faulted
// and on that one's alternate stack, in many threads at once; it goes on where, and with what, the handler puts into
// the context (sigreturn(2)).
#include "../harness.h"
#include <ucontext.h>

enum { N = 8, ROUNDS = 40, PAGE = 4096, STACK = 65536, ANSWER = 4711 };

struct fault {
	int sig, code;
	const void *addr;
};

static __thread struct {
	struct fault seen;
	int count;
	char *stack;		/* NULL: it has no alternate one */
} self;

static char *none, *readable, *file;	/* a page each, and the file's first page of two */

/* Of each fault RCX is where to go on, and RAX comes from the handler. */
#define FAULT(instruction, ret_at, ret_rax, ...)                                                   \
	__asm__ volatile("lea 1f(%%rip), %%rcx\n\tlea 2f(%%rip), %1\n2:\t" instruction "\n1:"       \
			 : "=&a"(ret_rax), "=&r"(ret_at) : __VA_ARGS__ : "rcx", "rdx", "cc", "memory")

static void handler(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	char here;

	CHECK_EQ(sig, info->si_signo);
	CHECK_EQ(self.stack && &here >= self.stack && &here < self.stack + STACK, !!self.stack);
	self.seen = (struct fault){ sig, info->si_code, info->si_addr };
	self.count++;
	regs[REG_RIP] = regs[REG_RCX];
	regs[REG_RAX] = ANSWER;
}

static struct fault writes_to(char *where, int sig, int code)
{
	const void *at;
	long rax;

	FAULT("movb $1, (%2)", at, rax, "r"(where));
	CHECK_EQ(rax, ANSWER);
	return (struct fault){ sig, code, where };
}

static struct fault runs_data(void)
{
	const void *at;
	long rax;

	FAULT("jmp *%2", at, rax, "r"(readable));
	CHECK_EQ(rax, ANSWER);
	return (struct fault){ SIGSEGV, SEGV_ACCERR, readable };
}

static struct fault is_privileged(void)
{
	const void *at;
	long rax;

	FAULT("hlt", at, rax, "r"(0l));
	CHECK_EQ(rax, ANSWER);
	return (struct fault){ SIGSEGV, SI_KERNEL, NULL };
}

static struct fault divides(void)
{
	const void *at;
	long rax;

	FAULT("divl %k2", at, rax, "r"(0l));
	CHECK_EQ(rax, ANSWER);
	return (struct fault){ SIGFPE, FPE_INTDIV, at };
}

static struct fault is_undefined(void)
{
	const void *at;
	long rax;

	FAULT("ud2", at, rax, "r"(0l));
	CHECK_EQ(rax, ANSWER);
	return (struct fault){ SIGILL, ILL_ILLOPN, at };
}

static struct fault breaks(void)
{
	const void *at;
	long rax;

	FAULT("int3", at, rax, "r"(0l));
	CHECK_EQ(rax, ANSWER);
	return (struct fault){ SIGTRAP, SI_KERNEL, NULL };
}

static struct fault make(int which, int place)
{
	switch (which) {
	case 0: return writes_to((char *)16 + place, SIGSEGV, SEGV_MAPERR);
	case 1: return writes_to(none + place, SIGSEGV, SEGV_ACCERR);
	case 2: return writes_to(readable + place, SIGSEGV, SEGV_ACCERR);
	case 3: return writes_to(file + PAGE + place, SIGBUS, BUS_ADRERR);
	case 4: return runs_data();
	case 5: return is_privileged();
	case 6: return divides();
	case 7: return is_undefined();
	default: return breaks();
	}
}

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;

	if (me % 2) {
		stack_t s = { .ss_sp = malloc(STACK), .ss_size = STACK };

		CHECK_OK(sigaltstack(&s, NULL));
		self.stack = s.ss_sp;
	}
	for (int i = 0; i < ROUNDS; i++) {
		struct fault f = make((me + i) % 9, me * 16 + i % 16);

		CHECK_EQ(self.count, i + 1);
		CHECK_EQ(self.seen.sig, f.sig);
		CHECK_EQ(self.seen.code, f.code);
		CHECK_EQ((uintptr_t)self.seen.addr, (uintptr_t)f.addr);
		if (i % 8 == me)
			sched_yield();
	}
	return NULL;
}

static char *map(int pages, int protection, int fd)
{
	char *p = mmap(NULL, (size_t)pages * PAGE, protection, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

int main(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	int fd = memfd_create("short", MFD_CLOEXEC);
	pthread_t t[N];

	CHECK(fd >= 0);
	CHECK_OK(ftruncate(fd, PAGE));
	file = map(2, PROT_READ | PROT_WRITE, fd);
	none = map(1, PROT_NONE, -1);
	readable = map(1, PROT_READ, -1);
	for (int i = 0; i < 5; i++)
		CHECK_OK(sigaction(signals[i], &sa, NULL));
	spawn_many(t, N, body);
	body((void *)(intptr_t)N);
	join_many(t, N);
}
