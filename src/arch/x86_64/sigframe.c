// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel's signal frame, from its lowest address up:
 *
 *	 0  return address: the restorer (arch_sigreturn)
 *	 8  ucontext as the kernel knows it; at sigreturn the stack pointer points here
 *	 .. siginfo
 *	 .. floating-point state, 64-aligned, found through uc_mcontext.fpregs
 *
 * All of it can be copied: sigreturn reads it from wherever the stack pointer is.
 */
#include <string.h>

#include "../arch.h"

enum { FXSAVE_BYTES = 512, FP_MAGIC_AT = 464, FP_SIZE_AT = 468, FP_ALIGN = 64 };
#define FP_MAGIC 0x46505853u

_Noreturn void arch_jump_on_stack(void *sp, void (*fn)(int, siginfo_t *, void *), int sig, siginfo_t *info,
				  void *uc) __attribute__((visibility("hidden")));

static size_t fp_bytes(const char *fp)
{
	uint32_t magic, bytes;

	memcpy(&magic, fp + FP_MAGIC_AT, 4);
	memcpy(&bytes, fp + FP_SIZE_AT, 4);
	return magic == FP_MAGIC ? bytes : FXSAVE_BYTES;
}

void arch_move_sigframe(void *top, void (*fn)(int, siginfo_t *, void *), int sig, siginfo_t *info,
			ucontext_t *uc)
{
	char *frame = (char *)uc - 8, *end = (char *)(info + 1);
	char *fp = (char *)uc->uc_mcontext.fpregs, *to = top;
	char *new_fp = NULL;

	if (fp) {
		new_fp = (char *)((uintptr_t)(to - fp_bytes(fp)) & ~(uintptr_t)(FP_ALIGN - 1));
		memcpy(new_fp, fp, fp_bytes(fp));
		to = new_fp;
	}
	/* A function is entered with its return address 8 below a multiple of 16. */
	to = (char *)((uintptr_t)(to - (end - frame)) & ~(uintptr_t)15) - 8;
	memcpy(to, frame, (size_t)(end - frame));
	uc = (ucontext_t *)(to + 8);
	uc->uc_mcontext.fpregs = (fpregset_t)new_fp;
	arch_jump_on_stack(to, fn, sig, (siginfo_t *)(to + ((char *)info - frame)), uc);
}
