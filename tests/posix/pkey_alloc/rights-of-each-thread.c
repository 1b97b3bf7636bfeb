// SPDX-License-Identifier: BSD-2-Clause
// What a memory protection key lets a thread do is that thread's own, whatever others set it to meanwhile, and that of the
// threads that it makes.
#include "../harness.h"

enum { THREADS = 6, ROUNDS = 100 };

static int key;
static char *page;
static atomic_int ready;

static void *has_rights(void *arg)
{
	unsigned rights = (intptr_t)arg % 2 ? PKEY_DISABLE_WRITE : 0;

	CHECK_EQ(pkey_get(key), PKEY_DISABLE_ACCESS);		/* its maker's */
	CHECK_OK(pkey_set(key, rights));
	ready++;
	WAIT_FOR(ready >= THREADS);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_EQ(pkey_get(key), rights);
		CHECK_EQ(*(volatile char *)page, 1);
		if (!rights)
			*(volatile char *)page = 1;
		i % 2 ? usleep(100) : (void)sched_yield();
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	join(spawn(nothing, NULL));
	key = pkey_alloc(0, 0);
	if (key < 0)
		skip("this processor or kernel has no memory protection keys");
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED);
	*page = 1;
	CHECK_OK(pkey_mprotect(page, 4096, PROT_READ | PROT_WRITE, key));
	CHECK_OK(pkey_set(key, PKEY_DISABLE_ACCESS));
	spawn_many(t, THREADS, has_rights);
	join_many(t, THREADS);
	CHECK_EQ(pkey_get(key), PKEY_DISABLE_ACCESS);
}
