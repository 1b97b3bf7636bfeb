// SPDX-License-Identifier: BSD-2-Clause
/* What a program says to tests/cli/calls.c, by prctl(CALLS_MARK, 1 or 0), which the kernel does not know. */
#ifndef CALLS_H
#define CALLS_H

#define CALLS_MARK 0x63616c6c

#endif
