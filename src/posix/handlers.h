// SPDX-License-Identifier: BSD-2-Clause
/* Did a handler of the program run that makes a blocking call return EINTR? */
#ifndef UPCALL_POSIX_HANDLERS_H
#define UPCALL_POSIX_HANDLERS_H

#include "../thread/thread.h"

static inline uintptr_t handlers_run(void)
{
	return (uintptr_t)thread_self()->posix[0];
}

#endif
