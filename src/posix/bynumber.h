// SPDX-License-Identifier: BSD-2-Clause
#ifndef UPCALL_POSIX_BYNUMBER_H
#define UPCALL_POSIX_BYNUMBER_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)
/* Is system call nr one in which the runtime has a word?  Then it is made, and *ret is what the kernel would say. */
bool call_by_number(long nr, const long *a, long *ret);
/* The caller is about to make an io_uring with these flags: 0 or an error number. */
int call_makes_ring(unsigned flags);
#pragma GCC visibility pop

#endif
