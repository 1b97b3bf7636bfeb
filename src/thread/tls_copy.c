// SPDX-License-Identifier: BSD-2-Clause
/*
 * A TLS block without a kernel thread: the copy of one that was harvested for a stack of the same
 * size, a tenth of the price.
 *
 * libc's struct pthread is copied from the model, the words in it that point into the model's stack
 * moved along; ld.so's own function makes the TLS and the dtv; what a kernel thread of libc's would set in the TLS
 * as it begins, where its resolver's state is, is set; and the block is linked into libc's
 * list of threads on stacks of the program's, under libc's lock.  The lock has no exported name: it
 * is taken to be where this libc has it only if libc's own pthread_create takes a lock just there.
 * Whenever anything looks different from what is expected, or the lock is not free at once, the
 * caller harvests instead.
 */
#include <dlfcn.h>
#include <linux/futex.h>
#include <string.h>

#include "../base/inject.h"
#include "../base/lock.h"
#include "../sys/sys.h"
#include "inside.h"
#include "tls.h"

enum { MODELS = 16, LOCK_BEHIND_USER_LIST = 48, CODE_BYTES = 8192 };

struct model {
	size_t bytes;			/* the stack's size, the key; 0: unused.  Written last */
	uintptr_t low;
	size_t tls_offset, frame_offset;
	ptrdiff_t resolver_offset;	/* from the block */
	void *image;			/* its struct pthread */
};

static struct {
	bool is_usable;
	void *(*allocate)(void *);
	size_t list_offset, pthread_bytes;
	ptrdiff_t resolver;		/* where in the TLS it says where that is */
	struct list *user_list;		/* libc's dl_stack_user */
	struct au32 *lock;		/* libc's dl_stack_cache_lock */
} libc;

static struct model models[MODELS];
static struct lock models_lock;

static uint32_t debugger_offset(const char *name)
{
	const uint32_t *field = inside_find(name);

	return field ? field[2] : 0;
}

/* Somewhere in pthread_create: lock cmpxchg %reg, offset(%rtld_global). */
static bool code_takes_lock_at(uint32_t offset)
{
	const uint8_t *code = dlsym(RTLD_NEXT, "pthread_create");

	for (int i = 3; code && i < CODE_BYTES; i++)
		if (memcmp(code + i, &offset, sizeof(offset)) == 0 && code[i - 2] == 0xb1 && code[i - 3] == 0x0f)
			return true;
	return false;
}

static bool find_list(void)
{
	char *global = inside_find("_rtld_global");
	uint32_t user = debugger_offset("_thread_db_rtld_global__dl_stack_user");

	if (!global || !user)
		return false;
	libc.user_list = (struct list *)(global + user);
	libc.lock = (struct au32 *)(global + user + LOCK_BEHIND_USER_LIST);
	return code_takes_lock_at(user + LOCK_BEHIND_USER_LIST);
}

/* In a libpthread of its own both have names. */
static bool find_named_list(void)
{
	libc.user_list = inside_libpthread("__stack_user");
	libc.lock = inside_libpthread("stack_cache_lock");
	return libc.user_list && libc.lock;
}

void tls_copy_init(bool is_allowed)
{
	libc.allocate = (__typeof__(libc.allocate))inside_find("_dl_allocate_tls");
	libc.list_offset = debugger_offset("_thread_db_pthread_list");
	libc.pthread_bytes = tls_pthread_size();
	char *resolver = inside_find("__resp");		/* this thread's */

	libc.resolver = resolver - (char *)arch_tls();
	if (is_allowed && libc.allocate && libc.list_offset && libc.pthread_bytes && resolver)
		libc.is_usable = find_list() || find_named_list();
}

static char **resolver_of(void *tls)
{
	return (char **)((char *)tls + libc.resolver);
}

static struct model *find(size_t bytes)
{
	for (int i = 0; i < MODELS; i++)
		if (__atomic_load_n(&models[i].bytes, __ATOMIC_ACQUIRE) == bytes)
			return &models[i];
	return NULL;
}

/* The block must be in libc's list where we expect that: else the layout is not what we think. */
static bool is_listed(const char *tls)
{
	const struct list *node = (const struct list *)(tls + libc.list_offset);
	bool found = false;

	if (load_relaxed(libc.lock) != 0)
		return false;
	for (const struct list *l = libc.user_list->next; l != libc.user_list && !found; l = l->next)
		found = l == node;
	return found;
}

/* Inside the runtime.  t has just been harvested and has not run. */
void tls_copy_learn(struct thread *t, void *low, size_t bytes)
{
	if (!libc.is_usable || find(bytes))
		return;
	lock_take(&models_lock);
	struct model *m = find(0);
	ptrdiff_t resolver_offset = *resolver_of(t->tls) - (char *)t->tls;
	bool is_as_expected = resolver_offset > 0 && (size_t)resolver_offset < libc.pthread_bytes && is_listed(t->tls);
	void *image = m && !find(bytes) && is_as_expected ? sys_map(libc.pthread_bytes) : NULL;

	if (image) {
		memcpy(image, t->tls, libc.pthread_bytes);
		m->image = image;
		m->low = (uintptr_t)low;
		m->tls_offset = (size_t)((char *)t->tls - (char *)low);
		m->frame_offset = (size_t)((char *)t->stack_start - (char *)low);
		m->resolver_offset = resolver_offset;
		__atomic_store_n(&m->bytes, bytes, __ATOMIC_RELEASE);
	}
	lock_drop(&models_lock);
}

void tls_copy_fork_child(void)
{
	lock_fork_child(&models_lock);
}

static void copy_moved(char *to, const struct model *m, uintptr_t low)
{
	const uintptr_t *from = m->image;
	uintptr_t *words = (uintptr_t *)to;

	for (size_t i = 0; i < libc.pthread_bytes / sizeof(*words); i++) {
		bool points_in = from[i] - m->low < m->bytes;

		words[i] = points_in ? from[i] - m->low + low : from[i];
	}
}

static bool link_in(char *tls)
{
	uint32_t free = 0;

	if (!cas_acquire(libc.lock, &free, 1))
		return false;
	list_push_front(libc.user_list, (struct list *)(tls + libc.list_offset));
	if (xchg_acq_rel(libc.lock, 0) == 2)
		sys_futex_wake(libc.lock, 1);
	return true;
}

bool tls_copy(struct thread *t, void *low, size_t bytes)
{
	struct model *m = libc.is_usable ? find(bytes) : NULL;

	if (!m)
		return false;
	char *tls = (char *)low + m->tls_offset;

	copy_moved(tls, m, (uintptr_t)low);
	if (!libc.allocate(tls))
		return false;
	INJECT_POINT();
	struct thread *me = thread_self();
	uint32_t was = me->in_rt;

	me->in_rt = 1;			/* not preempted while we hold libc's lock */
	compiler_barrier();
	bool is_linked = link_in(tls);

	compiler_barrier();
	me->in_rt = was;
	if (!is_linked)
		return false;		/* the harvest lays its own block over this one; the dtv is lost */
	t->tls = tls;
	t->stack_start = (char *)low + m->frame_offset;
	*resolver_of(tls) = tls + m->resolver_offset;
	tls_set_self(tls, t);
	tls_forget_rseq(tls);
	return true;
}
