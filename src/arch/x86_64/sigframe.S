/* SPDX-License-Identifier: BSD-2-Clause */
/* void arch_jump_on_stack(sp rdi, fn rsi, sig edx, info rcx, uc r8): fn returns to what sp points at. */
	.text
	.globl	arch_jump_on_stack
	.hidden	arch_jump_on_stack
	.type	arch_jump_on_stack, @function
	.balign	16
arch_jump_on_stack:
	.cfi_startproc
	movq	%rdi, %rsp
	.cfi_undefined rip
	movq	%rsi, %rax
	movl	%edx, %edi
	movq	%rcx, %rsi
	movq	%r8, %rdx
	jmp	*%rax
	.cfi_endproc
	.size	arch_jump_on_stack, . - arch_jump_on_stack

	.section .note.GNU-stack, "", @progbits
