// SPDX-License-Identifier: BSD-2-Clause
/* Numbers of system calls, and of prctl, that old libcs (2.31) do not know; the same on all machines. */
#ifndef UPCALL_SYS_NUMBERS_H
#define UPCALL_SYS_NUMBERS_H

#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif

#endif
