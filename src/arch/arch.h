// SPDX-License-Identifier: BSD-2-Clause
/* The front header of the machine: registers, switches, raw kernel entry. */
#ifndef UPCALL_ARCH_H
#define UPCALL_ARCH_H

#include <sys/syscall.h>

#if defined(__x86_64__)
#include "x86_64/arch_cpu.h"
#else
#error "this processor has no folder under src/arch yet"
#endif

#endif
