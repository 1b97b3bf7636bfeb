// SPDX-License-Identifier: BSD-2-Clause
// Several threads fork at once, while they and others are inside malloc: it works in each child and in the parent.
#include "../harness.h"

enum { FORKING = 3, ALLOCATING = 2, FORKS = 8, BLOCKS = 16 };

static atomic_bool stop;

/* Blocks of many sizes keep what is written to them. */
static void use_malloc(unsigned seed)
{
	unsigned char *blocks[BLOCKS];
	size_t bytes[BLOCKS];

	for (unsigned i = 0; i < BLOCKS; i++) {
		bytes[i] = 1 + (seed * 2654435761u + i * i * 977) % 20000;
		blocks[i] = malloc(bytes[i]);
		CHECK(blocks[i] != NULL);
		memset(blocks[i], (int)(seed + i), bytes[i]);
	}
	for (unsigned i = 0; i < BLOCKS; i++) {
		CHECK_EQ(blocks[i][0], (unsigned char)(seed + i));
		CHECK_EQ(blocks[i][bytes[i] - 1], (unsigned char)(seed + i));
		free(blocks[i]);
	}
}

static void *allocates(void *arg)
{
	for (unsigned i = 0; !stop; i++)
		use_malloc(i + (unsigned)(intptr_t)arg * 1000);
	return arg;
}

static void *once(void *arg)
{
	use_malloc(77);
	return arg;
}

static void child(void)
{
	use_malloc(1);
	join(spawn(once, NULL));
	use_malloc(2);
}

static void *forks(void *arg)
{
	for (unsigned i = 0; i < FORKS; i++) {
		use_malloc(i);
		CHECK_EQ(in_child(child), 0);
	}
	return arg;
}

int main(void)
{
	pthread_t t[FORKING], others[ALLOCATING];

	spawn_many(others, ALLOCATING, allocates);
	spawn_many(t, FORKING, forks);
	child();
	join_many(t, FORKING);
	stop = true;
	join_many(others, ALLOCATING);
}
