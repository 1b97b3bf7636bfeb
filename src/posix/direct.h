// SPDX-License-Identifier: BSD-2-Clause
/*
 * Objects that ask the kernel for their threads without libc.  Go's runtime keeps for each of its
 * threads what belongs to the kernel thread under it (its number, its alternate signal stack, its
 * signal mask), learnt and set by system calls of its own, which nothing here sees; libdispatch reads in /proc whether
 * they run.  As each thread that calls them is tied in this way, all are bound: from the start where the program is linked
 * with one, else from when one first makes a thread.
 */
#ifndef UPCALL_POSIX_DIRECT_H
#define UPCALL_POSIX_DIRECT_H

#include <stdbool.h>

struct dl_phdr_info;

#pragma GCC visibility push(hidden)
/* Is one of the objects that are loaded by now such a one? */
bool direct_is_loaded(void);
/* Does the program itself call this function of a library? */
bool direct_imports(const char *name);
/* The code at `caller` makes a thread.  Is it part of one? */
bool direct_makes(const void *caller);
/* The object that was loaded where `address` is. */
bool object_of(const void *address, struct dl_phdr_info *ret_object);
#pragma GCC visibility pop

#endif
