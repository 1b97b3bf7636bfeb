/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The voluntary switch keeps the SSE and x87 control words, rbp, and where to go on.  (The other registers that the
 * ABI says a callee keeps are the caller's business, who is told that they are lost: arch_switch, arch_cpu.h.  It has
 * saved those of its own callers anyway.)  The stack it leaves behind, from the saved stack pointer up:
 *
 *	 0  mxcsr (4), x87 control word (2), pad (2)
 *	 8  rbp
 *	16  return address
 *
 * arch_context_init (context.c) builds the same picture: change both or neither.
 *
 * It is jumped to, the return address pushed (arch_switch, arch_cpu.h), and ends in a jump, not a
 * `ret`: so the predictor of returns sees no call and no return of ours.  Where threads switch in the
 * same functions, what it has learnt from the one that leaves is then right for the one that comes.
 */
	.macro	save_registers
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	.endm

	.text
	.globl	arch_switch_jump
	.hidden	arch_switch_jump
	.type	arch_switch_jump, @function
	.balign	32
arch_switch_jump:
	.cfi_startproc
	save_registers
	movl	(%rsp), %eax
	movzwl	4(%rsp), %ecx
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	/* Loading a control word is slow and it hardly ever differs. */
	cmpl	(%rsp), %eax
	jne	3f
1:	cmpw	4(%rsp), %cx
	jne	4f
2:	.cfi_remember_state
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbp
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rcx
	jmp	*%rcx
	.cfi_restore_state
3:	ldmxcsr	(%rsp)
	jmp	1b
4:	fnclex			/* a flag that it unmasks would be a fault of this thread */
	fldcw	4(%rsp)
	jmp	2b
	.cfi_endproc
	.size	arch_switch_jump, . - arch_switch_jump

/* The same picture is left behind; the new context has the caller's control words. */
	.globl	arch_switch_first_jump
	.hidden	arch_switch_first_jump
	.type	arch_switch_first_jump, @function
	.balign	32
arch_switch_first_jump:
	.cfi_startproc
	save_registers
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	jmp	start
	.cfi_endproc
	.size	arch_switch_first_jump, . - arch_switch_first_jump

/* The first thing a new context runs, whose entry is on its stack, or in rdx (start); no frame is above it. */
	.globl	arch_context_start
	.hidden	arch_context_start
	.type	arch_context_start, @function
	.balign	16
arch_context_start:
	.cfi_startproc
	.cfi_undefined rip
	.cfi_undefined rbp
	popq	%rdx
start:	xorl	%ebp, %ebp
	leaq	1f(%rip), %rax
	pushq	%rax			/* as a call, but the predictor of returns sees none */
	jmp	*%rdx
1:	ud2
	.cfi_endproc
	.size	arch_context_start, . - arch_context_start

/*
 * long arch_clone(flags rdi, stack_top rsi, ptid rdx, ctid rcx, tls r8, fn r9, arg 8(%rsp))
 * The kernel wants: flags rdi, stack rsi, ptid rdx, ctid r10, tls r8.
 */
	.globl	arch_clone
	.hidden	arch_clone
	.type	arch_clone, @function
	.balign	16
arch_clone:
	.cfi_startproc
	movq	8(%rsp), %rax
	subq	$16, %rsi
	movq	%r9, (%rsi)
	movq	%rax, 8(%rsi)
	movq	%rcx, %r10
	movl	$56, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	ret
1:	.cfi_undefined rip
	xorl	%ebp, %ebp
	popq	%rax
	popq	%rdi
	call	*%rax
	movl	$60, %eax
	xorl	%edi, %edi
	syscall
	ud2
	.cfi_endproc
	.size	arch_clone, . - arch_clone

/* void arch_call_on_stack(top rdi, fn rsi, sig edx, info rcx, uc r8) */
	.globl	arch_call_on_stack
	.hidden	arch_call_on_stack
	.type	arch_call_on_stack, @function
	.balign	16
arch_call_on_stack:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rdi
	movq	%rdi, %rsp
	movq	%rsi, %rax
	movl	%edx, %edi
	movq	%rcx, %rsi
	movq	%r8, %rdx
	call	*%rax
	movq	%rbp, %rsp
	popq	%rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	arch_call_on_stack, . - arch_call_on_stack

/*
 * What a signal handler returns to.  Debuggers know this very sequence of bytes; for all others the
 * table says where the kernel's ucontext, which the stack pointer points to, holds each register.
 * The `nop` belongs to the frame, since unwinders look at the byte before a return address.
 */
	.macro	saved_at reg, at	/* DW_CFA_expression: DW_OP_breg7 (rsp) + at */
	.cfi_escape 0x10, \reg, 3, 0x77, (\at & 0x7f) | 0x80, \at >> 7
	.endm

	.globl	arch_sigreturn
	.hidden	arch_sigreturn
	.type	arch_sigreturn, @function
	.balign	16
	.cfi_startproc simple
	.cfi_signal_frame
	/* DW_CFA_def_cfa_expression: the interrupted stack pointer. */
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06
	saved_at 8, 40
	saved_at 9, 48
	saved_at 10, 56
	saved_at 11, 64
	saved_at 12, 72
	saved_at 13, 80
	saved_at 14, 88
	saved_at 15, 96
	saved_at 5, 104		/* rdi */
	saved_at 4, 112		/* rsi */
	saved_at 6, 120		/* rbp */
	saved_at 3, 128		/* rbx */
	saved_at 1, 136		/* rdx */
	saved_at 0, 144		/* rax */
	saved_at 2, 152		/* rcx */
	saved_at 7, 160		/* rsp */
	saved_at 16, 168	/* rip */
	nop
arch_sigreturn:
	movq	$15, %rax
	syscall
	.cfi_endproc
	.size	arch_sigreturn, . - arch_sigreturn

/* What functions that are ARCH_SWITCHES end in, instead of a `ret`. */
	.globl	__x86_return_thunk
	.hidden	__x86_return_thunk
	.type	__x86_return_thunk, @function
	.balign	32
__x86_return_thunk:
	.cfi_startproc
	movq	arch_returns_by_jump@gottpoff(%rip), %rcx
	cmpb	$0, %fs:(%rcx)
	jne	1f
	ret
1:	movb	$0, %fs:(%rcx)
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rcx
	jmp	*%rcx
	.cfi_endproc
	.size	__x86_return_thunk, . - __x86_return_thunk

	.section .tbss, "awT", @nobits
	.globl	arch_returns_by_jump
	.hidden	arch_returns_by_jump
	.type	arch_returns_by_jump, @object
	.size	arch_returns_by_jump, 1
arch_returns_by_jump:
	.zero	1

	.section .note.GNU-stack, "", @progbits
