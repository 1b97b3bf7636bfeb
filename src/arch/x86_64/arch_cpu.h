// SPDX-License-Identifier: BSD-2-Clause
/* x86-64: raw system calls, the TLS base, the context switch. */
#ifndef UPCALL_ARCH_X86_64_H
#define UPCALL_ARCH_X86_64_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* Each returns what the kernel returned: a value or -errno.  errno is never touched. */
static inline long arch_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#define arch_syscall5(nr, a, b, c, d, e) arch_syscall6((nr), (a), (b), (c), (d), (e), 0)
#define arch_syscall4(nr, a, b, c, d)    arch_syscall6((nr), (a), (b), (c), (d), 0, 0)
#define arch_syscall3(nr, a, b, c)       arch_syscall6((nr), (a), (b), (c), 0, 0, 0)
#define arch_syscall2(nr, a, b)          arch_syscall6((nr), (a), (b), 0, 0, 0, 0)
#define arch_syscall1(nr, a)             arch_syscall6((nr), (a), 0, 0, 0, 0, 0)
#define arch_syscall0(nr)                arch_syscall6((nr), 0, 0, 0, 0, 0, 0)

static inline void arch_pause(void)
{
	__asm__ volatile("pause" ::: "memory");
}

/* After an atomic read-modify-write of whatever order: a locked instruction is a full barrier here. */
static inline void arch_fence_after_rmw(void)
{
	__asm__ volatile("" ::: "memory");
}

/* A cheap clock of unstated unit, for "did much time pass" only. */
static inline uint64_t arch_ticks(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

_Noreturn static inline void arch_abort(void)
{
	__asm__ volatile("ud2");
	__builtin_unreachable();
}

/* Where the picture that arch_switch leaves (switch.S) holds which register. */
enum { ARCH_CONTEXT_RBP = 8, ARCH_CONTEXT_RIP = 16, ARCH_CONTEXT_BYTES = 24 };

#pragma GCC visibility push(hidden)
/* True where user space may write the FS base itself; set by arch_init. */
extern bool arch_has_fsgsbase;
void arch_init(bool allow_fsgsbase);

extern void arch_switch_jump(void), arch_switch_first_jump(void);
/* Builds on `top` (16-aligned) the picture that arch_switch resumes: it calls entry(), which must not return. */
void *arch_context_init(void *top, void (*entry)(void));
/*
 * clone(2) with a stack: the child sets nothing, calls fn(arg) and exits with status 0.
 * Returns the child's tid or -errno.
 */
long arch_clone(unsigned long flags, void *stack_top, int *ptid, int *ctid, void *tls,
		void (*fn)(void *), void *arg);
/* The restorer of signal frames. */
void arch_sigreturn(void);
/*
 * Inside a signal handler: moves the kernel's frame, of which info and uc are parts, to the stack
 * that ends at `top`, and goes on with fn(sig, info, uc) there, as if the kernel had called it.
 */
_Noreturn void arch_move_sigframe(void *top, void (*fn)(int, siginfo_t *, void *), int sig,
				  siginfo_t *info, ucontext_t *uc);
/* Calls fn(sig, info, uc) with the stack pointer at `top`. */
void arch_call_on_stack(void *top, void (*fn)(int, siginfo_t *, void *), int sig, siginfo_t *info, void *uc);
#pragma GCC visibility pop

#define ARCH_RSEQ_SIGNATURE 0x53053053	/* libc's, too */

/* What the compiler must not keep in registers across a switch, but for rbp. */
#define ARCH_LOST "rax", "rcx", "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory", "xmm0", \
	"xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
	"xmm14", "xmm15"

/*
 * Leaves what is to be kept on the caller's stack, its stack pointer in *save, and resumes the context
 * whose stack pointer is `to`.  Returns when somebody switches back.  (The runtime is compiled
 * without a red zone, so there is room for the push.)
 */
static inline __attribute__((always_inline)) void arch_switch(void **save, void *to)
{
	__asm__ volatile("leaq	1f(%%rip), %%rax\n\t"
			 "pushq	%%rax\n\t"
			 "jmp	arch_switch_jump\n"
			 "1:"
			 : "+D"(save), "+S"(to)
			 :
			 : "rdx", ARCH_LOST);
}

/*
 * The processor predicts that a `ret` goes behind the last call that has not returned; after a switch that is a call of the
 * thread that left.  So a function that switches (ARCH_SWITCHES) can return by a jump instead, which is predicted by what came
 * before it: ARCH_RETURN_BY_JUMP_IF.  But the call is forgotten only by a `ret`, and after a jump the returns of
 * its callers are predicted wrongly, too, which might have been right where both threads came the same way.
 */
#if __has_attribute(function_return)
#define ARCH_SWITCHES __attribute__((function_return("thunk-extern")))
#else
#define ARCH_SWITCHES
#endif
#define ARCH_CALLER __builtin_return_address(0)
#define ARCH_RETURN_BY_JUMP_IF(cond) \
	do { \
		__asm__ volatile("" : : : "rcx");	/* the return's: callers may know what else is kept */ \
		if (cond) \
			arch_returns_by_jump = 1; \
	} while (0)
#pragma GCC visibility push(hidden)
extern __thread _Bool arch_returns_by_jump __attribute__((tls_model("initial-exec")));
#pragma GCC visibility pop

/* As arch_switch to a new context on the stack that ends at `top` (64-aligned), which calls entry(). */
static inline __attribute__((always_inline)) void arch_switch_first(void **save, void *top, void (*entry)(void))
{
	__asm__ volatile("leaq	1f(%%rip), %%rax\n\t"
			 "pushq	%%rax\n\t"
			 "jmp	arch_switch_first_jump\n"
			 "1:"
			 : "+D"(save), "+S"(top), "+d"(entry)
			 :
			 : ARCH_LOST);
}

/* The thread pointer: the address of the thread control block, whose first word is itself. */
static inline void *arch_tls(void)
{
	void *tcb;

	__asm__ volatile("mov %%fs:0, %0" : "=r"(tcb));
	return tcb;
}

static inline void arch_set_tls(void *tcb)
{
	if (__builtin_expect(arch_has_fsgsbase, 1))
		__asm__ volatile("wrfsbase %0" ::"r"(tcb) : "memory");
	else
		arch_syscall2(SYS_arch_prctl, 0x1002 /* ARCH_SET_FS */, (long)tcb);
}

/*
 * The CPU we are on: Linux keeps it, below the node, in the limit of a segment of each CPU's own.
 * Emulators that cannot write the FS base cannot read that either.
 */
static inline unsigned arch_cpu(void)
{
	unsigned limit = 0;

	if (!arch_has_fsgsbase) {
		arch_syscall3(SYS_getcpu, (long)&limit, 0, 0);
		return limit;
	}
	__asm__ volatile("lsl %1, %0" : "=r"(limit) : "r"(15u * 8 + 3));
	return limit & 0xfff;
}

/* What glibc's header of a thread control block must hold, besides itself: the guards. */
enum { ARCH_TCB_SELF = 0, ARCH_TCB_SELF2 = 0x10, ARCH_TCB_STACK_GUARD = 0x28, ARCH_TCB_POINTER_GUARD = 0x30 };

static inline uintptr_t arch_context_pc(const void *uc)
{
	return (uintptr_t)((const ucontext_t *)uc)->uc_mcontext.gregs[REG_RIP];
}

/* Has the signal made a system call fail with EINTR, just now, which the kernel does not begin again? */
static inline bool arch_context_is_eintr(const void *uc)
{
	enum { FAILED = -4 };		/* -EINTR */

	return ((const ucontext_t *)uc)->uc_mcontext.gregs[REG_RAX] == FAILED;
}

/*
 * Which call that was, or -1.  The kernel has put the result over its number: so what the instruction before `syscall` loads,
 * as it is in most of libc's calls.
 */
static inline long arch_context_ended_call(const void *uc)
{
	enum { SYSCALL_BYTES = 2, LOAD_BYTES = 5, LOAD = 0xb8, PAGE = 4096 };
	const unsigned char *at = (const unsigned char *)((const ucontext_t *)uc)->uc_mcontext.gregs[REG_RIP] - SYSCALL_BYTES;
	uint32_t nr;

	if (((uintptr_t)at & (PAGE - 1)) < LOAD_BYTES || at[0] != 0x0f || at[1] != 0x05)
		return -1;
	if (at[-2] == 0x31 && at[-1] == 0xc0)		/* xor %eax,%eax */
		return 0;
	if (at[-LOAD_BYTES] != LOAD)
		return -1;
	__builtin_memcpy(&nr, at - 4, sizeof(nr));
	return nr;
}

/*
 * Which call the kernel makes again when the context goes on, or -1: by its number, and by what the instruction left behind
 * when it was made first.
 */
static inline long arch_context_restarted_call(const void *uc)
{
	const greg_t *regs = ((const ucontext_t *)uc)->uc_mcontext.gregs;
	const unsigned char *at = (const unsigned char *)regs[REG_RIP];

	if (regs[REG_RCX] != regs[REG_RIP] + 2 || regs[REG_R11] != regs[REG_EFL] || at[0] != 0x0f || at[1] != 0x05)
		return -1;
	return regs[REG_RAX];
}

/* It fails with EINTR instead. */
static inline void arch_context_end_call(ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_RAX] = -4;
	uc->uc_mcontext.gregs[REG_RIP] += 2;
}

/* It is made again when the context goes on. */
static inline void arch_context_call_again(ucontext_t *uc, long nr)
{
	uc->uc_mcontext.gregs[REG_RAX] = nr;
	uc->uc_mcontext.gregs[REG_RIP] -= 2;
}

/* Where the function that this is in returns to, with which stack and frame pointer. */
static inline __attribute__((always_inline)) void arch_caller(uintptr_t *ret_pc, uintptr_t *ret_sp, uintptr_t *ret_fp)
{
	const uintptr_t *frame = __builtin_frame_address(0);

	*ret_fp = frame[0];
	*ret_pc = frame[1];
	*ret_sp = (uintptr_t)&frame[2];
}

static inline uintptr_t arch_context_fp(const void *uc)
{
	return (uintptr_t)((const ucontext_t *)uc)->uc_mcontext.gregs[REG_RBP];
}

enum { ARCH_REGISTERS = 16 };

/* The general ones. */
static inline void arch_context_registers(const void *uc, uint64_t *ret)
{
	for (int i = 0; i < ARCH_REGISTERS; i++)
		ret[i] = (uint64_t)((const ucontext_t *)uc)->uc_mcontext.gregs[REG_R8 + i];
}

/* Is there what loops have that wait for another processor: pause? */
static inline bool arch_code_pauses(const uint8_t *code, size_t bytes)
{
	for (size_t i = 0; i + 1 < bytes; i++)
		if (code[i] == 0xf3 && code[i + 1] == 0x90)
			return true;
	return false;
}

static inline uintptr_t arch_context_sp(const void *uc)
{
	return (uintptr_t)((const ucontext_t *)uc)->uc_mcontext.gregs[REG_RSP];
}

/* The system call that a signal context was trapped in: its number and arguments, and its result. */
static inline long arch_context_call(const ucontext_t *uc, long args[6])
{
	static const int registers[6] = { REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9 };

	for (int i = 0; i < 6; i++)
		args[i] = uc->uc_mcontext.gregs[registers[i]];
	return uc->uc_mcontext.gregs[REG_RAX];
}

static inline void arch_context_set_result(ucontext_t *uc, long result)
{
	uc->uc_mcontext.gregs[REG_RAX] = result;
}

/*
 * Makes the system calls in libgomp's text go to inline_call(number, arguments), which answers as the kernel
 * does.  How many places it has; 0: they are not what we know, or cannot be written.  Nobody may be in one.
 */
int arch_catch_inline_calls(void *text, size_t bytes) __attribute__((visibility("hidden")));

#endif
