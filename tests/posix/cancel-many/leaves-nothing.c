// SPDX-License-Identifier: BSD-2-Clause
// Threads that are cancelled in waits leave nothing: what their cleanup handlers free is free, their stacks are used
// again, and the objects that they waited for are as before (POSIX, 2.9.5.3: cleanup handlers; pthread_join).
#include "../harness.h"
#include <malloc.h>

enum { BATCH = 12, BATCHES = 30, WARM = 6, BLOCK_BYTES = 8 << 10, STACK_BYTES = 64 << 10 };

static int p[2];
static sem_t sem;
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int here, freed;
static bool token;

static void unlock(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_unlock(&lock));
}

static void frees(void *block)
{
	free(block);
	freed++;
}

static void waits_for_token(void)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	pthread_cleanup_push(unlock, NULL);
	while (!token)
		CHECK_OK(pthread_cond_wait(&cond, &lock));
	pthread_cleanup_pop(1);
}

static void *body(void *arg)
{
	char stack[STACK_BYTES], *block = malloc(BLOCK_BYTES), c;

	pthread_cleanup_push(frees, block);
	memset(block, 1, BLOCK_BYTES);
	memset(stack, 1, sizeof stack);
	__asm__ volatile("" : : "r"(stack) : "memory");
	here++;
	switch ((intptr_t)arg % 3) {
	case 0: waits_for_token(); break;
	case 1: (void)!read(p[0], &c, 1); break;
	case 2: sem_wait(&sem); break;
	}
	pthread_cleanup_pop(0);
	return NULL;
}

static void *has_token(void *arg)
{
	here++;
	waits_for_token();
	return arg;
}

static void cancel_batch(void)
{
	pthread_t t[BATCH];

	here = freed = 0;
	spawn_many(t, BATCH, body);
	WAIT_FOR(here == BATCH);
	for (int i = 0; i < BATCH; i++)
		CHECK_OK(pthread_cancel(t[i]));
	for (int i = 0; i < BATCH; i++)
		CHECK(join(t[i]) == PTHREAD_CANCELED);
	CHECK_EQ(freed, BATCH);
}

static long in_use(void)
{
#if __GLIBC_PREREQ(2, 33)
	return (long)mallinfo2().uordblks;
#else
	return (long)mallinfo().uordblks;
#endif
}

static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	CHECK(f != NULL);
	CHECK_EQ(fscanf(f, "%*d %ld", &pages), 1);
	CHECK_OK(fclose(f));
	return pages * sysconf(_SC_PAGESIZE);
}

static void check_objects(void)
{
	pthread_t t;
	int n = -1;

	CHECK_OK(sem_getvalue(&sem, &n));
	CHECK_EQ(n, 0);
	here = 0;
	t = spawn(has_token, NULL);
	WAIT_FOR(here == 1);
	CHECK_OK(pthread_mutex_lock(&lock));
	token = true;
	CHECK_OK(pthread_cond_signal(&cond));	/* goes to the only one that there is */
	CHECK_OK(pthread_mutex_unlock(&lock));
	join(t);
	CHECK_OK(pthread_cond_destroy(&cond));
	CHECK_OK(pthread_mutex_destroy(&lock));
}

/* What is lost of each is 8 KB of the heap or 64 KB of a stack: half of it would be too much. */
int main(void)
{
	const long each = BATCH * (BATCHES - WARM) / 2;
	long used = 0, was = 0;

	CHECK_OK(pipe(p));
	CHECK_OK(sem_init(&sem, 0, 0));
	for (int i = 0; i < BATCHES; i++) {
		cancel_batch();
		if (i == WARM - 1) {
			was = resident();
			used = in_use();
		}
	}
	CHECK(in_use() < used + each * BLOCK_BYTES);
	CHECK(resident() < was + each * STACK_BYTES);
	check_objects();
}
