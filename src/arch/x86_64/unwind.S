/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the compiler refers to in functions with cleanups.  Both go on to the unwinder that is
 * unwinding already (posix/unwind.c), with the caller's stack as it is.
 */
	.text
	.globl	__gcc_personality_v0
	.hidden	__gcc_personality_v0
	.type	__gcc_personality_v0, @function
__gcc_personality_v0:
	jmp	unwind_personality
	.size	__gcc_personality_v0, . - __gcc_personality_v0

	.globl	_Unwind_Resume
	.hidden	_Unwind_Resume
	.type	_Unwind_Resume, @function
_Unwind_Resume:
	jmp	*unwind_resume(%rip)
	.size	_Unwind_Resume, . - _Unwind_Resume

	.section .note.GNU-stack, "", @progbits
