// SPDX-License-Identifier: BSD-2-Clause
#ifndef UPCALL_POSIX_RAWCALL_H
#define UPCALL_POSIX_RAWCALL_H

/* System call nr with six arguments, as the kernel answers; signals of our own do not end it. */
__attribute__((visibility("hidden"))) long raw_call(long nr, const long *args);

#endif
