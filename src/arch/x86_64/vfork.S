/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pid_t vfork(void).  The child runs on this very stack and will overwrite what is below the
 * caller's frame, our return address included: that travels in a register, which each of the two
 * has for itself.
 */
	.text
	.globl	vfork
	.type	vfork, @function
	.balign	16
vfork:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	vfork_before
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rdi
	movl	$58, %eax
	syscall
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rip, 0
	testq	%rax, %rax
	jz	1f
	movq	%rax, %rdi
	jmp	vfork_after
1:	ret
	.cfi_endproc
	.size	vfork, . - vfork

	.globl	__vfork
	.type	__vfork, @function
	.set	__vfork, vfork

	.section .note.GNU-stack, "", @progbits
