// SPDX-License-Identifier: BSD-2-Clause
#ifndef UPCALL_POSIX_FD_H
#define UPCALL_POSIX_FD_H

#include <stdbool.h>

/* fd is about to be closed, or another file's: forgets it.  False: it is the runtime's own, and not to be had. */
__attribute__((visibility("hidden"))) bool fd_release(int fd);

#endif
