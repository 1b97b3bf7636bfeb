// SPDX-License-Identifier: BSD-2-Clause
/*
 * Major faults: pages of a file that the kernel has forgotten, read from the disk.  A file in memory (tmpfs) has none, so
 * folders are tried until one gives some; where none does, fault_path stays empty, and the reason is said.
 */
#ifndef STRESS_FAULTS_H
#define STRESS_FAULTS_H

#include "stress.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "../../include/upcall/stats.h"

static char fault_path[256];
static int fault_pages;

static inline long major_faults(void)
{
	struct rusage u;

	CHECK_OK(getrusage(RUSAGE_SELF, &u));
	return u.ru_majflt;
}

static inline void fault_at(int at)
{
	size_t size = (size_t)fault_pages * 4096;
	int fd = open(fault_path, O_RDONLY);
	volatile unsigned char *m;

	CHECK(fd >= 0);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	m = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(m != MAP_FAILED);
	madvise((void *)(uintptr_t)m, size, MADV_RANDOM);
	CHECK_EQ(m[(size_t)at * 4096], at & 255);
	CHECK_OK(munmap((void *)(uintptr_t)m, size));
	CHECK_OK(close(fd));
}

static inline bool make_pages(const char *dir)
{
	char page[4096];
	bool is_whole = true;

	snprintf(fault_path, sizeof fault_path, "%s/upcall-test-%d-pages", dir, (int)getpid());
	int fd = open(fault_path, O_RDWR | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		return false;
	for (int i = 0; i < fault_pages && is_whole; i++) {
		memset(page, i & 255, sizeof page);
		is_whole = write(fd, page, sizeof page) == (ssize_t)sizeof page;
	}
	is_whole = is_whole && fsync(fd) == 0;
	CHECK_OK(close(fd));
	return is_whole;
}

static inline void make_fault_file(int pages)
{
	const char *dirs[] = { getenv("TMPDIR"), "/tmp", "/var/tmp", "." };

	fault_pages = pages;
	for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
		long before = major_faults();

		if (!dirs[i])
			continue;
		if (make_pages(dirs[i])) {
			for (int at = 0; at < pages; at += 16)
				fault_at(at);
			if (major_faults() > before)
				return;
		}
		unlink(fault_path);
	}
	fault_path[0] = 0;
	printf("no faults: no file of /tmp, /var/tmp or the folder of the test is read from a disk\n");
}

/* Of n, most: what another thread has mapped at that moment the kernel does not forget. */
static inline void check_faults(long n, long before)
{
	if (fault_path[0])
		CHECK(major_faults() - before >= n / 4);
}

/* How many blocks the runtime was told of; -1: there is none, or its source does not tell of short ones. */
static inline long blocks_told(void)
{
	int (*stats)(struct upcall_stats *) = (int (*)(struct upcall_stats *))dlsym(RTLD_DEFAULT, "upcall_stats");
	struct upcall_stats s = { .size = sizeof s };

	if (!stats || getenv("UPCALL_BOUND") || stats(&s) || !s.source[0] || strcmp(s.source, "monitor") == 0)
		return -1;
	return (long)s.upcalls_blocked;
}

#endif
