// SPDX-License-Identifier: BSD-2-Clause
// sem_open: ENOENT without O_CREAT, EEXIST with O_EXCL, EINVAL for a value too large or a bad name.
#include "../harness.h"

int main(void)
{
	char name[64];
	sem_t *s;

	snprintf(name, sizeof name, "/upcall-test-%d", (int)getpid());
	sem_unlink(name);
	errno = 0;
	CHECK(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
	CHECK(sem_open(name, O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1) == SEM_FAILED && errno == EINVAL);
	s = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	if (s == SEM_FAILED)
		skip("no named semaphores here");
	CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
	CHECK(sem_open("/a/b", O_CREAT, 0600, 1) == SEM_FAILED && (errno == EINVAL || errno == ENOENT));
	CHECK_OK(sem_unlink(name));
	CHECK_ERRNO(sem_unlink(name), ENOENT);
	CHECK_OK(sem_close(s));
}
