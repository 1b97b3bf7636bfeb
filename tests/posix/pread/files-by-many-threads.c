// SPDX-License-Identifier: BSD-2-Clause
// Many threads read and write parts of one file by pread and pwrite; readv, preadv and lseek
// agree.
#include "../harness.h"
#include <sys/uio.h>

#define N 8
#define BLOCK 4096

static int fd;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;
	char out[BLOCK], in[BLOCK];
	struct iovec v[2] = { { in, 1000 }, { in + 1000, BLOCK - 1000 } };

	memset(out, 'a' + me, sizeof out);
	for (int r = 0; r < 20; r++) {
		off_t at = (r * N + me) * (off_t)BLOCK;

		CHECK_EQ(pwrite(fd, out, BLOCK, at), BLOCK);
		CHECK_EQ(pread(fd, in, BLOCK, at), BLOCK);
		CHECK(!memcmp(in, out, BLOCK));
		memset(in, 0, sizeof in);
		CHECK_EQ(preadv(fd, v, 2, at), BLOCK);
		CHECK(!memcmp(in, out, BLOCK));
	}
	CHECK_OK(fsync(fd));
	CHECK_OK(fdatasync(fd));
	return NULL;
}

int main(void)
{
	const char *path = fresh_path();
	pthread_t t[N];
	struct stat st;

	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	CHECK(fd >= 0);
	CHECK_OK(unlink(path));
	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_OK(fstat(fd, &st));
	CHECK_EQ(st.st_size, 20 * N * BLOCK);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 0);
}
