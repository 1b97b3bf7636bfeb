// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names inside libc that no header has: those of its private version, and what it describes for
 * debuggers (_thread_db_*).
 *
 * From glibc 2.34 on dlsym knows them all.  Before, threads are in a libpthread of their own, and
 * most of these names only in its file, in the table of symbols that debuggers read.
 */
#ifndef UPCALL_INSIDE_H
#define UPCALL_INSIDE_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)
/* Where `name` is, or NULL. */
void *inside_find(const char *name);
/* Is libpthread a library of its own? */
bool inside_has_libpthread(void);
/* Where `name` is in that one's file, or NULL: without dlsym, and so without a name of ours. */
void *inside_libpthread(const char *name);
#pragma GCC visibility pop

#endif
