// SPDX-License-Identifier: BSD-2-Clause
// Calls on files act on a pending cancellation: pread, pwrite, preadv, pwritev, fsync, fdatasync,
// creat, openat, close, lockf, fcntl with F_SETLKW, msync.
#include "../cancel.h"

#include <sys/uio.h>

static int fd;
static char path[64];
static void *map;

static void call(void *arg)
{
	char c = 0;
	struct iovec v = { &c, 1 };
	struct flock l = { .l_type = F_WRLCK, .l_len = 1 };

	switch ((intptr_t)arg) {
	case 0: (void)!pread(fd, &c, 1, 0); break;
	case 1: (void)!pwrite(fd, &c, 1, 0); break;
	case 2: (void)!preadv(fd, &v, 1, 0); break;
	case 3: (void)!pwritev(fd, &v, 1, 0); break;
	case 4: fsync(fd); break;
	case 5: fdatasync(fd); break;
	case 6: creat(path, 0600); break;
	case 7: openat(AT_FDCWD, path, O_RDONLY); break;
	case 8: close(dup(fd)); break;
	case 9: (void)!lockf(fd, F_LOCK, 1); break;
	case 10: fcntl(fd, F_SETLKW, &l); break;
	case 11: msync(map, 4096, MS_SYNC); break;
	}
}

int main(void)
{
	strcpy(path, fresh_path());
	CHECK((fd = open(path, O_RDWR | O_CREAT, 0600)) >= 0);
	CHECK_OK(ftruncate(fd, 4096));
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(map != MAP_FAILED);
	for (intptr_t i = 0; i < 12; i++)
		check_cancels_pending(call, (void *)i);
	unlink(path);
}
