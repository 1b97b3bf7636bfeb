// SPDX-License-Identifier: BSD-2-Clause
#include "../arch.h"

#include <sys/auxv.h>

bool arch_has_fsgsbase;

extern void arch_context_start(void) __attribute__((visibility("hidden")));

void arch_init(bool allow_fsgsbase)
{
	arch_has_fsgsbase = allow_fsgsbase && (getauxval(AT_HWCAP2) & 2);
}

/* The picture that arch_switch (switch.S) leaves: change both or neither. */
void *arch_context_init(void *top, void (*entry)(void))
{
	uint64_t *sp = (uint64_t *)top - 4;
	uint32_t mxcsr;
	uint16_t fcw;

	__asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(mxcsr), "=m"(fcw));
	sp[0] = mxcsr | (uint64_t)fcw << 32;
	sp[1] = 0;			/* rbp */
	sp[2] = (uintptr_t)arch_context_start;
	sp[3] = (uintptr_t)entry;
	return sp;
}
