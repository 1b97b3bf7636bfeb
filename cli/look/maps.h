// SPDX-License-Identifier: BSD-2-Clause
/*
 * The files that a process has mapped, and how one comes by them: by name they may be others by now, or
 * be there only in the process's own mounts (a container's).
 */
#ifndef UPCALL_LOOK_MAPS_H
#define UPCALL_LOOK_MAPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapped {
	uint64_t start, end, inode;
	dev_t device;
};

/* Those with files, by address. */
struct maps {
	struct mapped *all;
	size_t n;
};

/* 0, or the errno that says why they cannot be read; then there are none. */
int maps_read(struct maps *m, pid_t pid);
void maps_free(struct maps *m);
/*
 * Opens the file that is mapped at `start` under this name: the very one, or -1.  The process may have
 * ended since maps_read.
 */
int maps_open(const struct maps *m, pid_t pid, uint64_t start, const char *name);

#endif
