// SPDX-License-Identifier: BSD-2-Clause
#include "home.h"

#include <fcntl.h>

#include "../sched/sched.h"
#include "../sys/sys.h"

/* /proc/self/pagemap has a word for each page. */
enum { PAGE_BYTES = 4096, PRESENT_BIT = 63, SHARED_BIT = 61, EXCLUSIVE_BIT = 56 };

/*
 * The page was just written to, so what is private is the process's own copy.  Memory of a device is shared and is not said
 * to be so, but nor is it said to be mapped by one process only.
 */
static bool is_private(const void *address)
{
	uint64_t page = 0;

	if (load_relaxed(&sched_is_confined))
		return false;
	int fd = (int)arch_syscall4(SYS_openat, AT_FDCWD, (long)"/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	long n = arch_syscall4(SYS_pread64, fd, (long)&page, sizeof(page),
			       (long)((uintptr_t)address / PAGE_BYTES * sizeof(page)));

	arch_syscall1(SYS_close, fd);
	return n == sizeof(page) && page >> PRESENT_BIT && !(page >> SHARED_BIT & 1) && (page >> EXCLUSIVE_BIT & 1);
}

void home_set(struct home *h)
{
	store_relaxed(&h->word, 0);
	if (is_private(h))
		store_relaxed(&h->word, HOME_PRIVATE | (uintptr_t)h);
}
