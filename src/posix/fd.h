// SPDX-License-Identifier: BSD-2-Clause
#ifndef UPCALL_POSIX_FD_H
#define UPCALL_POSIX_FD_H

#include <stdbool.h>

/* The caller is about to close fd, or to give the number to another file.  False: it is the runtime's own. */
__attribute__((visibility("hidden"))) bool fd_may_close(int fd);

#endif
