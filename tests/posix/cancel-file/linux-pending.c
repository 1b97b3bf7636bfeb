// SPDX-License-Identifier: BSD-2-Clause
// What glibc makes a cancellation point beyond POSIX acts on a pending request, too: preadv2, pwritev2,
// copy_file_range, getrandom, sync_file_range, fallocate.
#include "../cancel.h"

#include <sys/random.h>
#include <sys/uio.h>

static int fd, other;

static void call(void *arg)
{
	char c = 0;
	struct iovec v = { &c, 1 };

	switch ((intptr_t)arg) {
	case 0: (void)!preadv2(fd, &v, 1, 0, 0); break;
	case 1: (void)!pwritev2(fd, &v, 1, 0, 0); break;
	case 2: (void)!copy_file_range(fd, NULL, other, NULL, 1, 0); break;
	case 3: (void)!getrandom(&c, 1, 0); break;
	case 4: sync_file_range(fd, 0, 1, SYNC_FILE_RANGE_WRITE); break;
	case 5: fallocate(fd, 0, 0, 1); break;
	}
}

static int fresh_file(void)
{
	const char *path = fresh_path();
	int file = open(path, O_RDWR | O_CREAT, 0600);

	CHECK(file >= 0);
	CHECK_OK(unlink(path));
	CHECK_OK(ftruncate(file, 4096));
	return file;
}

int main(void)
{
	fd = fresh_file();
	other = fresh_file();
	for (intptr_t i = 0; i < 6; i++)
		if (i != 3 || !__GLIBC_PREREQ(2, 41))		/* getrandom is none any more where it need not enter the kernel */
			check_cancels_pending(call, (void *)i);
}
