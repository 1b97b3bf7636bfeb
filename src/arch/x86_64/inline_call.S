/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a system call's instruction was, code jumps to a stub (inline_call.c), which steps over the red zone,
 * pushes the address to go on at, and jumps here.  So it looks as if the place had called us from 128 bytes
 * lower.  What the kernel keeps, we keep: all registers but rax, rcx and r11.  (The upper halves of
 * vector registers are nobody's there: code that uses them is not what we take for libgomp.)
 *
 * Also done here: the comparison with -ENOSYS, whose bytes the jump has taken.
 */
	.text
	.globl	arch_inline_call
	.hidden	arch_inline_call
	.type	arch_inline_call, @function
	.balign	16
arch_inline_call:
	.cfi_startproc
	.cfi_def_cfa rsp, 136
	.cfi_offset rip, -136
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbp, -144
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	subq	$304, %rsp
	andq	$-16, %rsp
	movaps	%xmm0, (%rsp)
	movaps	%xmm1, 16(%rsp)
	movaps	%xmm2, 32(%rsp)
	movaps	%xmm3, 48(%rsp)
	movaps	%xmm4, 64(%rsp)
	movaps	%xmm5, 80(%rsp)
	movaps	%xmm6, 96(%rsp)
	movaps	%xmm7, 112(%rsp)
	movaps	%xmm8, 128(%rsp)
	movaps	%xmm9, 144(%rsp)
	movaps	%xmm10, 160(%rsp)
	movaps	%xmm11, 176(%rsp)
	movaps	%xmm12, 192(%rsp)
	movaps	%xmm13, 208(%rsp)
	movaps	%xmm14, 224(%rsp)
	movaps	%xmm15, 240(%rsp)
	movq	%rdi, 256(%rsp)
	movq	%rsi, 264(%rsp)
	movq	%rdx, 272(%rsp)
	movq	%r10, 280(%rsp)
	movq	%r8, 288(%rsp)
	movq	%r9, 296(%rsp)
	movq	%rax, %rdi
	leaq	256(%rsp), %rsi
	call	inline_call
	movq	256(%rsp), %rdi
	movq	264(%rsp), %rsi
	movq	272(%rsp), %rdx
	movq	280(%rsp), %r10
	movq	288(%rsp), %r8
	movq	296(%rsp), %r9
	movaps	(%rsp), %xmm0
	movaps	16(%rsp), %xmm1
	movaps	32(%rsp), %xmm2
	movaps	48(%rsp), %xmm3
	movaps	64(%rsp), %xmm4
	movaps	80(%rsp), %xmm5
	movaps	96(%rsp), %xmm6
	movaps	112(%rsp), %xmm7
	movaps	128(%rsp), %xmm8
	movaps	144(%rsp), %xmm9
	movaps	160(%rsp), %xmm10
	movaps	176(%rsp), %xmm11
	movaps	192(%rsp), %xmm12
	movaps	208(%rsp), %xmm13
	movaps	224(%rsp), %xmm14
	movaps	240(%rsp), %xmm15
	leave
	.cfi_def_cfa rsp, 136
	.cfi_restore rbp
	cmpq	$-38, %rax
	ret	$128
	.cfi_endproc
	.size	arch_inline_call, . - arch_inline_call

	.section .note.GNU-stack, "", @progbits
