// SPDX-License-Identifier: BSD-2-Clause
/* OpenMP: openmp.c. */
#ifndef UPCALL_POSIX_OPENMP_H
#define UPCALL_POSIX_OPENMP_H

#pragma GCC visibility push(hidden)
/* UPCALL_DISABLE may say that it is to be left alone. */
void openmp_configure(const char *disabled);
/* The code at `caller` makes a key.  libgomp does so before it does anything else. */
void openmp_meet(const void *caller);
#pragma GCC visibility pop

#endif
