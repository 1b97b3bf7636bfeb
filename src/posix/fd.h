// SPDX-License-Identifier: BSD-2-Clause
#ifndef UPCALL_POSIX_FD_H
#define UPCALL_POSIX_FD_H

#include <stdbool.h>

/* Is the table of descriptors, and our memory of it, the caller's to change? */
__attribute__((visibility("hidden"))) bool fd_keeps_book(void);
/* fd is about to be closed, or another file's: forgets it.  False: it is the runtime's own, and not to be had. */
__attribute__((visibility("hidden"))) bool fd_release(int fd);
/* The same for where dup2 and dup3 may put another file; sets errno.  If they fail anyway, nothing is forgotten. */
__attribute__((visibility("hidden"))) bool fd_may_replace(int from, int to, int flags);
/* The kernel has done it. */
__attribute__((visibility("hidden"))) void fd_released(int fd);

#endif
