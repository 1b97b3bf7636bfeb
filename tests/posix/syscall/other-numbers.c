// SPDX-License-Identifier: BSD-2-Clause
// syscall passes six arguments and returns results and errno as the kernel gives them.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	int p[2];
	char c = 0;
	void *m;

	CHECK_EQ(syscall(SYS_getpid), getpid());
	CHECK_OK(syscall(SYS_pipe2, p, O_CLOEXEC));
	CHECK_EQ(syscall(SYS_write, p[1], "x", 1), 1);
	CHECK_EQ(syscall(SYS_read, p[0], &c, 1), 1);
	CHECK_EQ(c, 'x');
	CHECK_ERRNO(syscall(SYS_close, -1), EBADF);
	m = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(m != MAP_FAILED);
	CHECK_OK(syscall(SYS_munmap, m, 4096));
	CHECK_EQ(syscall(10000), -1);
	CHECK(errno == ENOSYS || errno == EPERM);	/* the latter by a container's filter */
	return NULL;
}

int main(void)
{
	body(NULL);
	join(spawn(body, NULL));
}
