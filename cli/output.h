// SPDX-License-Identifier: BSD-2-Clause
/* Files that are written at the end of a program's run: what is wrong with them is found out before it. */
#ifndef UPCALL_CLI_OUTPUT_H
#define UPCALL_CLI_OUTPUT_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, or the errno for which it cannot be written.  Nothing is left of the trial. */
static inline int output_try(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == EEXIST ? 0 : errno;	/* a link to what is not there yet */
	close(fd);
	unlink(path);
	return 0;
}

#endif
