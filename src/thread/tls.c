// SPDX-License-Identifier: BSD-2-Clause
#include "tls.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <link.h>
#include <locale.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "../base/print.h"
#include "../sys/sys.h"
#include "inside.h"

__thread struct thread *self_ptr;
/* As programs know it (upcall/page.h). */
extern __thread struct thread *upcall_thread
	__attribute__((alias("self_ptr"), visibility("default"), tls_model("initial-exec")));
/* And as the inline part of upcall/upcall.h knows it. */
extern __thread struct thread *upcall_thread_1_
	__attribute__((alias("self_ptr"), visibility("default"), tls_model("initial-exec")));

enum { KEYS_PER_BLOCK = 32, DESTRUCTOR_ROUNDS = 4 };

struct key { uintptr_t seq; void (*destr)(void *); };
struct key_data { uintptr_t seq; void *data; };

static struct {
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*set_mask)(pthread_attr_t *, const sigset_t *);
	void (*init)(void *, bool);
	void (*call_tls_dtors)(void);
	const struct key *keys;
	ptrdiff_t self_offset;		/* of self_ptr, from the thread pointer */
	ptrdiff_t errno_offset, h_errno_offset;
	ptrdiff_t dlerror_offset;	/* of what dlerror would tell, 0: unknown */
	ptrdiff_t libc_offset;		/* of libc.so's own TLS segment */
	size_t libc_bytes;
	const ptrdiff_t *rseq_offset;
	ptrdiff_t robust_offset;	/* of the robust list's head, 0: unknown */
	uint32_t tid_offset, specific_offset, pthread_size;
	uint32_t stack_offset;		/* where a block says what stack its thread has, 0: unknown */
	uint32_t policy_offset, policy_bits;	/* and that its thread's policy is known */
	size_t least_stack;
} libc;

static uint32_t debugger_offset(const char *name)
{
	const uint32_t *field = inside_find(name);	/* size in bits, elements, offset */

	return field ? field[2] : 0;
}

static int find_libc_tls(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	if (!info->dlpi_name || !strstr(info->dlpi_name, "libc.so.6") || !info->dlpi_tls_data)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_TLS)
			continue;
		libc.libc_offset = (char *)info->dlpi_tls_data - (char *)arch_tls();
		libc.libc_bytes = info->dlpi_phdr[i].p_memsz;
	}
	return 1;
}

/* libc has told the kernel where the calling thread's list is. */
static void find_robust_list(void)
{
	struct robust_list_head *head = NULL;
	size_t size;

	if (arch_syscall3(SYS_get_robust_list, 0, (long)&head, (long)&size) == 0 && head)
		libc.robust_offset = (char *)head - (char *)arch_tls();
}

void tls_register_robust(void *tls)
{
	if (libc.robust_offset)
		arch_syscall2(SYS_set_robust_list, (long)((char *)tls + libc.robust_offset),
			      sizeof(struct robust_list_head));
}

static void owner_died(struct robust_list *entry, long futex_offset)
{
	struct au32 *word = (struct au32 *)((char *)((uintptr_t)entry & ~(uintptr_t)1) + futex_offset);
	uint32_t was = load_relaxed(word);

	while (!cas_seq_cst(word, &was, (was & FUTEX_WAITERS) | FUTEX_OWNER_DIED))
		;
	if (was & FUTEX_WAITERS) {
		arch_syscall3(SYS_futex, (long)word, FUTEX_WAKE, 1);
		arch_syscall3(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, 1);
	}
}

bool tls_has_robust(void *tls)
{
	struct robust_list_head *head = (void *)((char *)tls + libc.robust_offset);

	return libc.robust_offset && head->list.next && head->list.next != &head->list;
}

/* Bit 0 tells those that inherit priority: the kernel has its own record of their owner. */
void tls_rename_robust(void *tls, int from, int to)
{
	struct robust_list_head *head = (void *)((char *)tls + libc.robust_offset);
	struct robust_list *entry;

	if (!libc.robust_offset)
		return;
	for (entry = head->list.next; entry && entry != &head->list;
	     entry = ((struct robust_list *)((uintptr_t)entry & ~(uintptr_t)1))->next) {
		struct au32 *word = (struct au32 *)((char *)((uintptr_t)entry & ~(uintptr_t)1) + head->futex_offset);
		uint32_t was = load_relaxed(word);	/* the CAS checks it */

		while (!((uintptr_t)entry & 1) && (was & FUTEX_TID_MASK) == (uint32_t)from &&
		       !cas_seq_cst(word, &was, (was & ~(uint32_t)FUTEX_TID_MASK) | (uint32_t)to))
			;
	}
}

static bool is_gone(uintptr_t at, size_t bytes)
{
	char copy[sizeof(struct robust_list)];

	return sys_read_own(copy, at, bytes) == -EFAULT;
}

/*
 * What the kernel does for a kernel thread that ends (robust_futexes, kernel documentation).  It gives up where the
 * memory is not there any more, and in a list without end.
 */
void tls_release_robust(void *tls, bool may_ask)
{
	struct robust_list_head *head = (void *)((char *)tls + libc.robust_offset);
	struct robust_list *entry, *next;
	int n = 0;

	if (!libc.robust_offset)
		return;
	for (entry = head->list.next; entry && entry != &head->list && n++ < ROBUST_LIST_LIMIT; entry = next) {
		uintptr_t at = (uintptr_t)entry & ~(uintptr_t)1;

		if (may_ask && (is_gone(at, sizeof(*entry)) || is_gone(at + head->futex_offset, sizeof(uint32_t))))
			break;
		next = ((struct robust_list *)at)->next;
		owner_died(entry, head->futex_offset);
	}
	head->list.next = &head->list;
}

static size_t least_stack(void)
{
	size_t (*ask)(const pthread_attr_t *) =
		(__typeof__(ask))inside_find("__pthread_get_minstack");
	pthread_attr_t attr;

	if (!ask)
		ask = (__typeof__(ask))inside_libpthread("__pthread_get_minstack");
	if (!ask || pthread_attr_init(&attr) != 0)
		return 0;
	size_t bytes = ask(&attr);

	pthread_attr_destroy(&attr);
	return bytes;
}

/*
 * libc keeps in a block what it has once learnt of its thread's policy, and does not ask again.  Its asynchronous I/O wants it, of
 * threads by whose numbers the kernel knows nobody, and without it orders requests by what happens to be on the stack.
 * Where it says that it knows is seen in main's block, which is left as it was.
 */
static void find_policy_bits(void)
{
	int (*ask)(pthread_t, int *, struct sched_param *) = (__typeof__(ask))dlsym(RTLD_NEXT, "pthread_getschedparam");
	uint32_t *words = arch_tls(), before[libc.pthread_size / sizeof(*words) + 1], changed = 0;
	struct sched_param param;
	int policy;

	memcpy(before, words, libc.pthread_size);
	if (!ask || ask((pthread_t)(uintptr_t)words, &policy, &param))
		return;
	for (uint32_t i = 0; i < libc.pthread_size / sizeof(*words); i++) {
		if (words[i] == before[i])
			continue;
		libc.policy_offset = i * (uint32_t)sizeof(*words);
		libc.policy_bits = changed++ ? 0 : words[i] & ~before[i];	/* more: it has another than the usual */
		words[i] = before[i];
	}
}

void tls_know_policy(void *tls, bool is_known)
{
	uint32_t *word = (uint32_t *)((char *)tls + libc.policy_offset);

	*word = is_known ? *word | libc.policy_bits : *word & ~libc.policy_bits;
}

/* Of something of this thread's that has a fixed place in each block. */
static ptrdiff_t offset_of(const void *own)
{
	return (const char *)own - (const char *)arch_tls();
}

void tls_init(void)
{
	const uint32_t *size = inside_find("_thread_db_sizeof_pthread");
	const void *told = inside_find("__libc_dlerror_result");	/* this thread's */

	libc.create = (__typeof__(libc.create))dlsym(RTLD_NEXT, "pthread_create");
	libc.set_mask = (__typeof__(libc.set_mask))dlsym(RTLD_NEXT, "pthread_attr_setsigmask_np");
	libc.init = (__typeof__(libc.init))inside_find("_dl_allocate_tls_init");
	libc.call_tls_dtors = (__typeof__(libc.call_tls_dtors))inside_find("__call_tls_dtors");
	libc.keys = inside_find("__pthread_keys");
	libc.tid_offset = debugger_offset("_thread_db_pthread_tid");
	libc.specific_offset = debugger_offset("_thread_db_pthread_specific");
	libc.pthread_size = size ? *size : 0;
	libc.self_offset = offset_of(&self_ptr);
	libc.errno_offset = offset_of(&errno);
	libc.h_errno_offset = offset_of(&h_errno);
	libc.dlerror_offset = told ? offset_of(told) : 0;
	libc.rseq_offset = inside_find("__rseq_offset");
	libc.least_stack = least_stack();
	dl_iterate_phdr(find_libc_tls, NULL);
	find_robust_list();
	find_policy_bits();
	tls_reset_init(libc.init, libc.libc_offset, libc.libc_bytes);
}

size_t tls_least_stack(void)
{
	return libc.least_stack;
}

bool tls_is_known(void)
{
	return libc.create && libc.init && libc.tid_offset;
}

size_t tls_pthread_size(void)
{
	return libc.pthread_size;
}

void tls_set_self(void *tls, struct thread *t)
{
	*(struct thread **)((char *)tls + libc.self_offset) = t;
}

struct thread *tls_get_self(const void *tls)
{
	return *(struct thread *const *)((const char *)tls + libc.self_offset);
}

void tls_set_tid(void *tls, int tid)
{
	*(int *)((char *)tls + libc.tid_offset) = tid;
}

struct stack_words { uintptr_t low; size_t bytes; };

static struct stack_words *stack_words(void *tls, uint32_t offset)
{
	return (struct stack_words *)((char *)tls + offset);
}

/* No debugger wants to know: of a new block it is seen where that is. */
static void find_stack_words(void *tls, void *low, size_t bytes)
{
	uint32_t found = 0;

	for (uint32_t at = 0; at + sizeof(struct stack_words) <= libc.pthread_size; at += sizeof(uintptr_t)) {
		const struct stack_words *words = stack_words(tls, at);

		if (words->low != (uintptr_t)low || words->bytes != bytes)
			continue;
		if (found)
			return;
		found = at;
	}
	__atomic_store_n(&libc.stack_offset, found, __ATOMIC_RELAXED);	/* everybody finds the same */
}

void tls_set_stack(void *tls, void *low, size_t bytes)
{
	uint32_t offset = __atomic_load_n(&libc.stack_offset, __ATOMIC_RELAXED);

	if (offset)
		*stack_words(tls, offset) = (struct stack_words){ (uintptr_t)low, bytes };
}

int tls_get_tid(const void *tls)
{
	return *(const int *)((const char *)tls + libc.tid_offset);
}

struct harvest {
	void *tls;
	void *frame;
	struct au32 gone;	/* 1 until the kernel has done with the kernel thread */
};

/* Runs on the new kernel thread; from the store to `gone`'s address on, nothing but the exit. */
static void *harvest_body(void *arg)
{
	struct harvest *h = arg;

	h->tls = arch_tls();
	h->frame = __builtin_frame_address(0);
	arch_syscall2(SYS_set_robust_list, 0, 24);
	arch_syscall1(SYS_set_tid_address, (long)&h->gone);
	arch_syscall1(SYS_exit, 0);
	return NULL;
}

/*
 * rseq belongs to a kernel thread, not to this block: "not registered".  libc looks there whether it
 * uses rseq or not, and from 2.41 on the place is not in struct pthread.
 */
void tls_forget_rseq(void *tls)
{
	if (libc.rseq_offset)
		((uint32_t *)((char *)tls + *libc.rseq_offset))[1] = UINT32_MAX;	/* cpu_id */
}

void *tls_rseq(void *tls)
{
	return libc.rseq_offset ? (char *)tls + *libc.rseq_offset : NULL;
}

int tls_harvest(struct thread *t, void *low, size_t bytes)
{
	struct harvest h = { .gone = { 1 } };
	pthread_attr_t attr;
	pthread_t handle;
	sigset_t all;

	if (!tls_is_known())
		return -ENOSYS;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, low, bytes);
	sigfillset(&all);
	if (libc.set_mask)
		libc.set_mask(&attr, &all);
	int err = libc.create(&handle, &attr, harvest_body, &h);

	pthread_attr_destroy(&attr);
	if (err)
		return -err;
	/* The kernel's wake-up at thread exit is not a private one. */
	while (load_acquire(&h.gone))
		arch_syscall4(SYS_futex, (long)&h.gone, FUTEX_WAIT, 1, 0);
	t->tls = h.tls;
	t->stack_start = (void *)((uintptr_t)h.frame & ~(uintptr_t)15);
	if (!__atomic_load_n(&libc.stack_offset, __ATOMIC_RELAXED))
		find_stack_words(t->tls, low, bytes);
	tls_know_policy(t->tls, true);
	tls_set_self(t->tls, t);
	tls_forget_rseq(t->tls);
	return 0;
}

void tls_enter(void)
{
	char *tls = arch_tls();

	*(int *)(tls + libc.errno_offset) = 0;
	*(int *)(tls + libc.h_errno_offset) = 0;
	uselocale(LC_GLOBAL_LOCALE);		/* and with it the tables of <ctype.h> */
}

bool tls_may_have_error(void)
{
	return !libc.dlerror_offset || *(void **)((char *)arch_tls() + libc.dlerror_offset);
}

/*
 * No key is this large.  libc makes a key of the first place that is free, so those that there have ever been are next
 * to each other; also what a library has made that was bound to libc's own function.
 */
static inline unsigned keys_end(void)
{
	static struct au32 seen;
	uint32_t end = load_relaxed(&seen);

	if (likely(end == PTHREAD_KEYS_MAX || !libc.keys[end].seq))
		return end;
	do
		end++;
	while (end < PTHREAD_KEYS_MAX && libc.keys[end].seq);
	store_relaxed(&seen, end);	/* relaxed: a lower one of somebody else's is only slower */
	return end;
}

static bool run_key(struct key_data *slot, const struct key *key)
{
	void *data = slot->data;

	slot->data = NULL;
	if (slot->seq != key->seq || !key->destr)
		return false;
	key->destr(data);
	return true;
}

static inline bool run_keys(struct key_data **blocks, unsigned first)
{
	unsigned end = keys_end();
	bool any = false;

	for (unsigned k = first; k < end; k++) {
		struct key_data *block = blocks[k / KEYS_PER_BLOCK];

		if (block && block[k % KEYS_PER_BLOCK].data)
			any |= run_key(&block[k % KEYS_PER_BLOCK], &libc.keys[k]);
	}
	return any;
}

static inline struct key_data **own_blocks(void)
{
	return (struct key_data **)((char *)arch_tls() + libc.specific_offset);
}

/* What is still set after so many rounds is dropped.  False: nothing was set. */
static bool run_rounds(struct key_data **blocks, int round)
{
	int first = round;

	while (round < DESTRUCTOR_ROUNDS && run_keys(blocks, 0))
		round++;
	for (unsigned k = 0; round == DESTRUCTOR_ROUNDS && k < keys_end(); k++)
		if (blocks[k / KEYS_PER_BLOCK])
			blocks[k / KEYS_PER_BLOCK][k % KEYS_PER_BLOCK].data = NULL;
	return round > first;
}

/*
 * libc runs no destructor of a thread_local that a key's has made, and forgets it with the block.  Its list of them is
 * in what we keep of a block: the next thread there would run it.
 */
void tls_run_destructors(void)
{
	bool has_dtors = libc.call_tls_dtors;

	if (has_dtors)
		libc.call_tls_dtors();
	if (!libc.keys || !libc.specific_offset)
		return;
	for (int i = 0; run_rounds(own_blocks(), 0) && has_dtors && i < DESTRUCTOR_ROUNDS; i++)
		libc.call_tls_dtors();
}

COLD void tls_run_destructors_after(unsigned key)
{
	if (!libc.keys || !libc.specific_offset)
		return;
	run_keys(own_blocks(), key + 1);	/* whether the lower ones set a value again is not known */
	run_rounds(own_blocks(), 1);
}

/* A native context runs only our code: it needs the header of a block and self_ptr. */
void *thread_native_tls(struct thread *idle)
{
	enum { BELOW = 12288 };
	size_t above = (libc.pthread_size ? libc.pthread_size : 4096) + 64;
	size_t below = -libc.self_offset > BELOW ? (size_t)-libc.self_offset + 64 : BELOW;
	char *mem = sys_map(below + above);

	if (!mem)
		return NULL;
	char *tls = (char *)(((uintptr_t)mem + below) & ~(uintptr_t)63);
	char *mine = arch_tls();

	*(void **)(tls + ARCH_TCB_SELF) = tls;
	*(void **)(tls + ARCH_TCB_SELF2) = tls;
	memcpy(tls + ARCH_TCB_STACK_GUARD, mine + ARCH_TCB_STACK_GUARD, 16);
	tls_set_self(tls, idle);
	return tls;
}
