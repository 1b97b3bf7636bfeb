// SPDX-License-Identifier: BSD-2-Clause
// A named semaphore is one object by whatever process it is opened; O_EXCL, unlink and close
// behave.
#include "../harness.h"

static char name[64];

static void child(void)
{
	sem_t *s = sem_open(name, 0);

	CHECK(s != SEM_FAILED);
	CHECK_OK(sem_post(s));
	CHECK_OK(sem_close(s));
}

static void *body(void *arg)
{
	CHECK_OK(sem_wait(arg));
	return NULL;
}

int main(void)
{
	sem_t *s;
	pthread_t t;

	snprintf(name, sizeof name, "/upcall-test-%d", (int)getpid());
	s = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	if (s == SEM_FAILED && errno != EEXIST)
		skip("named semaphores do not work here");
	CHECK(s != SEM_FAILED);
	CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED);
	CHECK_EQ(errno, EEXIST);
	t = spawn(body, s);
	settle();
	CHECK_EQ(in_child(child), 0);
	join(t);
	CHECK_OK(sem_unlink(name));
	CHECK(sem_open(name, 0) == SEM_FAILED);
	CHECK_EQ(errno, ENOENT);
	CHECK_OK(sem_close(s));
}
