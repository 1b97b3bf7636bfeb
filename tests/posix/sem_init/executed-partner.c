// SPDX-License-Identifier: BSD-2-Clause
// POSIX, sem_init: any process that can access a semaphore made with pshared can use it.  Threads of a program, and of
// one that it executed, which maps it at another address and may have nothing preloaded, wait for it with and without a
// limit, in turn, and the others post; then both do both.
#include "../pshared/semaphore-sides.h"

struct shared {
	sem_t sem;
	struct sides sides;
};

static void prepare(void *memory)
{
	struct shared *s = memory;

	CHECK_OK(sem_init(&s->sem, 1, 0));
}

static void act(void *memory, int side)
{
	struct shared *s = memory;

	sides_meet(&s->sem, &s->sides, side);
}

int main(int argc, char **argv)
{
	static const struct play play = { sizeof(struct shared), prepare, act };

	return play_with_partners(argc, argv, &play);
}
