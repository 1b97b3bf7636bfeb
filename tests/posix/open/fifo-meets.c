// SPDX-License-Identifier: BSD-2-Clause
// open of a FIFO for reading waits for a writer and the other way round; both come through.
#include "../harness.h"

static char path[64];

static void *writer(void *arg UNUSED)
{
	int fd = open(path, O_WRONLY);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, "f", 1), 1);
	CHECK_OK(close(fd));
	return NULL;
}

static void *reader(void *arg UNUSED)
{
	int fd = open(path, O_RDONLY);
	char c = 0;

	CHECK(fd >= 0);
	CHECK_EQ(read(fd, &c, 1), 1);
	CHECK_EQ(c, 'f');
	CHECK_EQ(read(fd, &c, 1), 0);
	CHECK_OK(close(fd));
	return NULL;
}

int main(void)
{
	strcpy(path, fresh_path());
	CHECK_OK(mkfifo(path, 0600));
	for (int i = 0; i < 20; i++) {
		pthread_t first = spawn(i & 1 ? reader : writer, NULL);
		pthread_t second;

		if (i < 4)
			settle();
		second = spawn(i & 1 ? writer : reader, NULL);
		join(first);
		join(second);
	}
	CHECK_OK(unlink(path));
}
