// SPDX-License-Identifier: BSD-2-Clause
// POSIX, sem_open: processes that call it with the same name refer to the same semaphore; it is opened with the value
// that it has.  Threads of a program, and of one that it executed, which opens it by its name and may have nothing
// preloaded, wait for it with and without a limit, in turn, and the others post; also when the name is gone.
#include "../pshared/semaphore-sides.h"

struct shared {
	char name[64];
	atomic_int met;
	struct sides sides;
};

static sem_t *sem;	/* as the program itself has it */

static void prepare(void *memory)
{
	struct shared *s = memory;

	snprintf(s->name, sizeof s->name, "/upcall-test-%d", (int)getpid());
	sem_unlink(s->name);
	sem = sem_open(s->name, O_CREAT | O_EXCL, 0600, 3);
	if (sem == SEM_FAILED)
		skip("no named semaphores here");
}

/* The partner, on its way in. */
static void opens(const char *name)
{
	int value;

	sem = sem_open(name, O_CREAT, 0600, 7);		/* it is there: 7 has no effect */
	CHECK(sem != SEM_FAILED);
	CHECK_OK(sem_getvalue(sem, &value));
	CHECK_EQ(value, 3);
	while (value--)
		CHECK_OK(sem_trywait(sem));
	CHECK_OK(sem_unlink(name));
}

static void act(void *memory, int side)
{
	struct shared *s = memory;

	if (side == 1)
		opens(s->name);
	meet(&s->met, 1);
	CHECK(sem_open(s->name, 0) == SEM_FAILED && errno == ENOENT);
	sides_meet(sem, &s->sides, side);
	CHECK_OK(sem_close(sem));
}

int main(int argc, char **argv)
{
	static const struct play play = { sizeof(struct shared), prepare, act };

	return play_with_partners(argc, argv, &play);
}
