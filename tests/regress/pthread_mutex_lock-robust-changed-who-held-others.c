// SPDX-License-Identifier: BSD-2-Clause
// A thread's first robust mutex gave it another number, by which it was no longer the owner of shared mutexes that it
// held already, nor of the loader's lock if it was there.
#include "../posix/harness.h"

#include <dlfcn.h>
#include <link.h>

static pthread_mutex_t *held, robust;
static pthread_cond_t *cond;
static atomic_int where;

static void init(pthread_mutex_t *m, int type, int pshared, int robustness)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, type));
	CHECK_OK(pthread_mutexattr_setpshared(&a, pshared));
	CHECK_OK(pthread_mutexattr_setrobust(&a, robustness));
	CHECK_OK(pthread_mutex_init(m, &a));
}

static void *amid_another(void *arg)
{
	CHECK_OK(pthread_mutex_lock(held));
	CHECK_OK(pthread_mutex_lock(&robust));
	CHECK_OK(pthread_mutex_unlock(held));
	CHECK_OK(pthread_mutex_lock(held));
	CHECK_OK(pthread_mutex_unlock(&robust));
	CHECK_OK(pthread_mutex_unlock(held));
	return arg;
}

static void test_held(int type)
{
	init(held, type, PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_STALLED);
	init(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_ROBUST);
	join(spawn(amid_another, NULL));
	CHECK_OK(pthread_mutex_trylock(held));
	CHECK_OK(pthread_mutex_unlock(held));
}

/* Called with the loader's lock held. */
static int takes_robust(struct dl_phdr_info *info UNUSED, size_t size UNUSED, void *data UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&robust));
	CHECK_OK(pthread_mutex_unlock(&robust));
	return 1;
}

static void *in_loader(void *arg)
{
	dl_iterate_phdr(takes_robust, NULL);
	return arg;
}

static void *loads(void *arg)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);

	CHECK(library != NULL);
	dlclose(library);
	return arg;
}

/* All that libc does with a mutex that names its owner to the kernel. */
static void *owner_dies(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&robust));
	return arg;
}

static void *waits(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&robust));
	where = 1;
	while (where == 1)
		CHECK_OK(pthread_cond_wait(cond, &robust));
	CHECK_OK(pthread_mutex_unlock(&robust));
	return arg;
}

static void unlock(void *m)
{
	CHECK_OK(pthread_mutex_unlock(m));
}

static void *is_cancelled(void *arg)
{
	CHECK_OK(pthread_mutex_lock(held));
	CHECK_OK(pthread_mutex_lock(&robust));
	pthread_cleanup_push(unlock, held);
	pthread_cleanup_push(unlock, &robust);
	where = 1;
	for (;;)
		CHECK_OK(pthread_cond_wait(cond, &robust));
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return arg;
}

static void *uses(void *arg)
{
	int type = (int)(intptr_t)arg;
	pthread_t t;

	init(&robust, type, PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_ROBUST);
	join(spawn(owner_dies, NULL));
	CHECK_EQ(pthread_mutex_lock(&robust), EOWNERDEAD);
	CHECK_OK(pthread_mutex_consistent(&robust));
	CHECK_OK(pthread_mutex_unlock(&robust));
	t = spawn(waits, NULL);
	WAIT_FOR(where == 1);
	CHECK_OK(pthread_mutex_lock(&robust));
	where = 2;
	CHECK_OK(pthread_cond_broadcast(cond));
	CHECK_OK(pthread_mutex_unlock(&robust));
	join(t);
	where = 0;
	t = spawn(is_cancelled, NULL);
	WAIT_FOR(where == 1);
	CHECK_OK(pthread_mutex_lock(&robust));
	CHECK_OK(pthread_mutex_unlock(&robust));
	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK_OK(pthread_mutex_trylock(held));
	CHECK_OK(pthread_mutex_unlock(held));
	CHECK_OK(pthread_mutex_trylock(&robust));
	CHECK_OK(pthread_mutex_unlock(&robust));
	where = 0;
	return NULL;
}

static void with_types(pthread_cond_t *c)
{
	cond = c;
	join(spawn(uses, (void *)PTHREAD_MUTEX_NORMAL));
	join(spawn(uses, (void *)PTHREAD_MUTEX_ERRORCHECK));
	join(spawn(uses, (void *)PTHREAD_MUTEX_RECURSIVE));
}

int main(void)
{
	static pthread_cond_t private_cond = PTHREAD_COND_INITIALIZER;
	pthread_cond_t *shared_cond;
	pthread_condattr_t a;

	held = shared_memory(sizeof(*held));
	shared_cond = shared_memory(sizeof(*shared_cond));
	CHECK_OK(pthread_condattr_init(&a));
	CHECK_OK(pthread_condattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_cond_init(shared_cond, &a));
	test_held(PTHREAD_MUTEX_ERRORCHECK);
	test_held(PTHREAD_MUTEX_RECURSIVE);
	join(spawn(in_loader, NULL));
	join(spawn(loads, NULL));
	with_types(&private_cond);
	with_types(shared_cond);
}
