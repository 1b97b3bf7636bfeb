// SPDX-License-Identifier: BSD-2-Clause
/* One question to upcalld.  Raw system calls only; the descriptor it takes is closed when it returns. */
#ifndef UPCALL_SYS_ADMIT_H
#define UPCALL_SYS_ADMIT_H

#include <stdint.h>

#include "../bpf/abi.h"

#pragma GCC visibility push(hidden)
/*
 * Asks for admission to `sources` (or ABI_STATUS).  0 or -errno; *ret_welcome is the daemon's answer when
 * there was one, also to a refusal, else zero.  ret_fds: the page's descriptor, and the control page's
 * with ABI_SCX; -1 where there is none.
 * Waits no longer than `patience_ms` to be connected, and as long again for the answer.
 */
int admit_ask(uint32_t sources, unsigned patience_ms, struct abi_welcome *ret_welcome, int ret_fds[2]);
#pragma GCC visibility pop

#endif
