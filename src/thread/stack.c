// SPDX-License-Identifier: BSD-2-Clause
#include "stack.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "../base/lock.h"
#include "../sys/sys.h"

enum {
	PAGE = 4096,
	CLASSES = 64, TABLES = 64,	/* classes of a table; all tables */
	SLOTS = 64,
	FIRST_SLAB = 1 << 20,
	BATCH = 16,			/* so many are prepared at once, when there have been FIRST */
	FIRST = 64,
	DESCRIPTOR = (sizeof(struct thread) + 63) & ~63,
	GUARD_INSTALL = 102,		/* MADV_GUARD_INSTALL */
	POPULATE_WRITE = 23,		/* MADV_POPULATE_WRITE */
	MPROTECT_BUDGET = 20000,
	KEPT = 64 << 10,		/* the top of a stack, which most threads have enough of */
	WORTH_TRIMMING = 1024,		/* page faults */
	/*
	 * Were the tops of all stacks at the same place of a page, a thousand threads would take turns in a part
	 * of the cache.  So they are lower by a number of lines up to this, which leaves the page that a bare
	 * thread lives in, and the two of one with a TLS block, room for frames.
	 */
	LINE = 64, LOWER = 22 * LINE,
};
_Static_assert(LOWER + DESCRIPTOR < PAGE / 2 + 256, "room for frames in the same page");

struct stack_class {
	size_t stack_bytes, guard_bytes;	/* the key; 0: unused.  Written under classes_lock */
	bool is_bare;				/* of the key too */
	struct lock lock;
	struct thread *free;			/* linked by free_next */
	struct thread *chains;			/* their first ones, linked by joiner */
	char *slab;				/* slots not handed out yet */
	unsigned slots_left, taken;		/* of this slab; of all */
	struct au32 singles;			/* so many came to `free` singly since that was trimmed */
};

/* Further tables are for programs that make stacks of ever other sizes. */
static struct stack_class classes[CLASSES];
static APTR(struct stack_class) tables[TABLES];	/* the first is `classes`; written under classes_lock, stays */
static struct lock classes_lock;

/* NULL: there is no such table yet. */
static struct stack_class *class_at(unsigned i)
{
	struct stack_class *table = i < CLASSES ? classes : i < CLASSES * TABLES ? load_acquire(&tables[i / CLASSES]) : NULL;

	return table ? &table[i % CLASSES] : NULL;
}

static bool have_guard_advice;
static bool are_executable;		/* before the first slab, as the next one */
static struct au32 is_locked;		/* what is mapped from now on is in memory at once */
static bool blocks_move;		/* TLS blocks may begin at any line */
static struct au32 mprotects;

void stack_init(bool use_guard_advice)
{
	have_guard_advice = use_guard_advice;
}

/* An object that makes small functions on the stack, as compilers do for nested ones, says so. */
static int wants_executable(struct dl_phdr_info *object, size_t bytes, void *arg)
{
	(void)bytes;
	(void)arg;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_GNU_STACK && (object->dlpi_phdr[i].p_flags & PF_X))
			return 1;
	return 0;
}

/* An object whose TLS is aligned to more than a line: the copy of a block (tls_copy.c) must lie as the model does. */
static int wants_alignment(struct dl_phdr_info *object, size_t bytes, void *arg)
{
	(void)bytes;
	(void)arg;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_TLS && object->dlpi_phdr[i].p_align > LINE)
			return 1;
	return 0;
}

/* Once: in a forked child the loader's lock may be that of a thread which stayed in the parent. */
void stack_start(void)
{
	static bool is_known;

	if (is_known)
		return;
	is_known = true;
	are_executable = dl_iterate_phdr(wants_executable, NULL);
	blocks_move = !dl_iterate_phdr(wants_alignment, NULL);
}

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static size_t slot_bytes(const struct stack_class *c)
{
	return c->guard_bytes + c->stack_bytes;
}

static bool is_class(const struct stack_class *c, size_t stack_bytes, size_t guard_bytes, bool is_bare)
{
	return c->stack_bytes == stack_bytes && c->guard_bytes == guard_bytes && c->is_bare == is_bare;
}

/* Caller holds classes_lock.  Entry i is the first of a table that there is not. */
static struct stack_class *new_table(unsigned i)
{
	struct stack_class *table = i < CLASSES * TABLES ? sys_map(CLASSES * sizeof(*table)) : NULL;

	if (table)
		store_release(&tables[i / CLASSES], table);
	return table;
}

static COLD struct stack_class *new_class(size_t stack_bytes, size_t guard_bytes, bool is_bare)
{
	struct stack_class *c;
	unsigned i = 0;

	lock_take(&classes_lock);
	while ((c = class_at(i)) && c->stack_bytes && !is_class(c, stack_bytes, guard_bytes, is_bare))
		i++;
	if (!c)
		c = new_table(i);
	/* Out of classes: one that is large enough. */
	for (i = 0; !c && class_at(i); i++)
		if (class_at(i)->stack_bytes >= stack_bytes && class_at(i)->guard_bytes >= guard_bytes &&
		    class_at(i)->is_bare == is_bare)
			c = class_at(i);
	if (c && c->stack_bytes == 0) {
		c->guard_bytes = guard_bytes;
		c->is_bare = is_bare;
		__atomic_store_n(&c->stack_bytes, stack_bytes, __ATOMIC_RELEASE);
	}
	lock_drop(&classes_lock);
	return c;
}

static struct stack_class *find_class(size_t stack_bytes, size_t guard_bytes, bool is_bare)
{
	for (int i = 0; i < CLASSES; i++)
		if (is_class(&classes[i], stack_bytes, guard_bytes, is_bare))
			return &classes[i];
	return new_class(stack_bytes, guard_bytes, is_bare);
}

static void install_guard(char *low, size_t bytes)
{
	if (have_guard_advice && arch_syscall3(SYS_madvise, (long)low, (long)bytes, GUARD_INSTALL) == 0)
		return;
	if (fetch_add(&mprotects, 1) < MPROTECT_BUDGET)
		arch_syscall3(SYS_mprotect, (long)low, (long)bytes, PROT_NONE);
}

/*
 * So many a slab: one, or some small ones; then as many as there have been, but where all of it is in memory at once.
 * Programs whose address space is limited may make stacks of many sizes.
 */
static unsigned slots_of(const struct stack_class *c)
{
	size_t some = FIRST_SLAB / slot_bytes(c);

	if (!load_relaxed(&is_locked) && some < c->taken)
		some = c->taken;
	return some < 1 ? 1 : some < SLOTS ? (unsigned)some : SLOTS;
}

/* Caller holds c->lock. */
static bool new_slab(struct stack_class *c)
{
	for (unsigned slots = slots_of(c); slots; slots /= 4) {
		size_t bytes = slots * slot_bytes(c);
		char *mem = sys_map(bytes);

		if (!mem)
			continue;
		arch_syscall3(SYS_madvise, (long)mem, (long)bytes, MADV_NOHUGEPAGE);
		if (are_executable)
			arch_syscall3(SYS_mprotect, (long)mem, (long)bytes, PROT_READ | PROT_WRITE | PROT_EXEC);
		c->slab = mem;
		c->slots_left = slots;
		return true;
	}
	return false;
}

bool stack_lock(bool locks)
{
	bool was = xchg_seq_cst(&is_locked, locks);

	struct stack_class *c;

	for (unsigned i = 0; (c = class_at(i)); i++) {
		lock_take(&c->lock);
		if (locks && c->slots_left)
			sys_unmap(c->slab, c->slots_left * slot_bytes(c));
		if (locks)
			c->slots_left = 0;
		lock_drop(&c->lock);
	}
	return was;
}

/* Slots of one slab, next to each other, that are about to be stacks. */
struct slots {
	char *low;
	unsigned n;
	unsigned left;			/* counts down from slot to slot, for LOWER */
};

static struct slots take_slots(struct stack_class *c)
{
	struct slots s = { 0 };

	lock_take(&c->lock);
	if (c->slots_left || new_slab(c)) {
		unsigned wanted = c->taken < FIRST ? 1 : BATCH;

		s = (struct slots){ c->slab, wanted < c->slots_left ? wanted : c->slots_left, c->slots_left };
		c->slab += s.n * slot_bytes(c);
		c->slots_left -= s.n;
		c->taken += s.n;
	}
	lock_drop(&c->lock);
	return s;
}

/*
 * Where threads are made by the hundred, the kernel is entered once for the guards of many stacks and once for
 * the pages that they begin in, which would be a page fault each.
 */
static bool prepare_at_once(const struct stack_class *c, struct slots s)
{
	size_t top_bytes = c->is_bare ? PAGE : 2 * PAGE;	/* with the TLS block */
	struct iovec guards[BATCH], tops[BATCH];

	if (!have_guard_advice || s.n == 1)
		return false;
	for (unsigned i = 0; i < s.n; i++) {
		char *low = s.low + i * slot_bytes(c);

		guards[i] = (struct iovec){ low, c->guard_bytes };
		tops[i] = (struct iovec){ low + slot_bytes(c) - top_bytes, top_bytes };
	}
	if (sys_advise_each(guards, s.n, GUARD_INSTALL) != 0)
		return false;
	sys_advise_each(tops, s.n, POPULATE_WRITE);	/* else they are touched one by one */
	return true;
}

static void prepare(const struct stack_class *c, struct slots s)
{
	if (!prepare_at_once(c, s))
		for (unsigned i = 0; i < s.n; i++)
			install_guard(s.low + i * slot_bytes(c), c->guard_bytes);
}

/* The descriptor of slot i. */
static struct thread *describe(struct stack_class *c, struct slots s, unsigned i)
{
	size_t lower = c->is_bare || blocks_move ? (s.left - i) * LINE % (LOWER + LINE) : 0;
	char *low = s.low + i * slot_bytes(c);
	struct thread *t = (struct thread *)(low + slot_bytes(c) - DESCRIPTOR - lower);

	t->stack_class = c;
	t->stack_low = c->is_bare ? NULL : low + c->guard_bytes;
	t->stack_bytes = c->stack_bytes - DESCRIPTOR - LOWER;
	t->guard_bytes = c->guard_bytes;
	return t;
}

static COLD struct thread *fresh(struct stack_class *c)
{
	struct slots s = take_slots(c);

	if (!s.n)
		return NULL;
	prepare(c, s);
	for (unsigned i = s.n - 1; i > 0; i--)
		stack_put(describe(c, s, i));		/* the next ones, in order */
	return describe(c, s, 0);
}

struct stack_class *stack_class_of(size_t stack_bytes, size_t guard_bytes, bool is_bare)
{
	const size_t most = (size_t)1 << 47;	/* more than there is: no sum of such overflows, and mmap refuses it */

	stack_bytes = stack_bytes < most ? stack_bytes : most;
	guard_bytes = guard_bytes < most ? guard_bytes : most;
	return find_class(round_up(stack_bytes, PAGE) + round_up(DESCRIPTOR, PAGE),
			  guard_bytes ? round_up(guard_bytes, PAGE) : PAGE, is_bare);
}

/* Caller holds c->lock. */
static struct thread *pop_chain(struct stack_class *c)
{
	struct thread *first = c->chains;

	if (first)
		c->chains = first->joiner;
	return first;
}

/* Caller holds c->lock. */
static struct thread *pop(struct stack_class *c)
{
	struct thread *t = c->free ? c->free : pop_chain(c);

	if (t)
		c->free = t->free_next;
	return t;
}

static struct thread *get_used(struct stack_class *c)
{
	lock_take(&c->lock);
	struct thread *t = pop(c);

	lock_drop(&c->lock);
	return t;
}

/* There is no memory: a larger one that has been used.  Bare threads pass theirs on, so those are of one size. */
static COLD struct thread *get_larger(const struct stack_class *c)
{
	struct stack_class *other;
	struct thread *t = NULL;

	for (unsigned i = 0; !t && !c->is_bare && (other = class_at(i)); i++)
		if (__atomic_load_n(&other->stack_bytes, __ATOMIC_ACQUIRE) >= c->stack_bytes &&
		    other->guard_bytes >= c->guard_bytes && !other->is_bare)
			t = get_used(other);
	return t;
}

struct thread *stack_get(struct stack_class *c)
{
	if (!c)
		return NULL;
	struct thread *t = get_used(c);

	if (unlikely(!t))
		t = fresh(c);
	return likely(t != NULL) ? t : get_larger(c);
}

struct thread *stack_get_chain(struct stack_class *c)
{
	lock_take(&c->lock);
	struct thread *first = pop_chain(c);

	lock_drop(&c->lock);
	return first;
}

void stack_put_chain(struct thread *first)
{
	struct stack_class *c = first->stack_class;

	lock_take(&c->lock);
	first->joiner = c->chains;
	compiler_barrier();		/* a child may be forked now */
	c->chains = first;
	lock_drop(&c->lock);
}

void stack_put_alone(struct thread *first, struct thread *last)
{
	struct stack_class *c = first->stack_class;

	last->free_next = c->free;
	compiler_barrier();
	c->free = first;
}

void stack_put(struct thread *t)
{
	struct stack_class *c = t->stack_class;

	lock_take(&c->lock);
	stack_put_alone(t, t);
	store_relaxed(&c->singles, load_relaxed(&c->singles) + 1);	/* relaxed: under c->lock */
	lock_drop(&c->lock);
}

static uint32_t page_faults(void)
{
	struct rusage usage = { 0 };

	arch_syscall2(SYS_getrusage, RUSAGE_SELF, (long)&usage);
	return (uint32_t)usage.ru_minflt;
}

/* Bare threads pass their stacks on: that in the place of one may be another's. */
static bool may_trim(const struct thread *first)
{
	return first && !first->stack_class->is_bare;
}

/* There are no more pages in these stacks, below what each keeps, than there were page faults since the last trim. */
static bool is_worth_trimming(const struct thread *t, uint32_t faults)
{
	while (t && faults - t->trimmed_faults < WORTH_TRIMMING)
		t = t->free_next;
	return t;
}

bool stack_is_worth_trimming(const struct thread *first)
{
	return may_trim(first) && is_worth_trimming(first, page_faults());
}

static void trim(struct thread *t, uint32_t faults)
{
	uintptr_t low = ((uintptr_t)thread_stack_low(t) + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t top = ((uintptr_t)t->stack_start - KEPT) & ~(uintptr_t)(PAGE - 1);

	t->trimmed_faults = faults;
	if (t->stack_start && top > low)	/* else nobody has run on it */
		arch_syscall3(SYS_madvise, (long)low, (long)(top - low), MADV_DONTNEED);
}

COLD void stack_trim(struct thread *first)
{
	if (!may_trim(first))
		return;
	uint32_t faults = page_faults();

	if (is_worth_trimming(first, faults))
		for (struct thread *t = first; t; t = t->free_next)
			trim(t, faults);
}

static COLD void trim_single(struct stack_class *c)
{
	lock_take(&c->lock);
	struct thread *first = c->free;

	c->free = NULL;
	store_relaxed(&c->singles, 0);
	lock_drop(&c->lock);
	if (!first)
		return;
	stack_trim(first);
	struct thread *last = first;

	while (last->free_next)
		last = last->free_next;
	lock_take(&c->lock);
	stack_put_alone(first, last);
	lock_drop(&c->lock);
}

void stack_trim_single(struct stack_class *c)
{
	if (!c->is_bare && load_relaxed(&c->singles) >= STACK_CHAIN)	/* relaxed, as below: a guess */
		trim_single(c);
}

void stack_trim_all_single(void)
{
	struct stack_class *c;

	for (unsigned i = 0; (c = class_at(i)) && c->stack_bytes; i++)
		if (!c->is_bare && load_relaxed(&c->singles))
			trim_single(c);
}

/* libc's blocks of these are gone. */
static void forget_blocks(struct thread *first)
{
	for (struct thread *t = first; t; t = t->free_next)
		t->tls = NULL;
}

void stack_fork_child(void)
{
	store_relaxed(&is_locked, 0);		/* a child's memory is not */
	struct stack_class *c;

	for (unsigned i = 0; (c = class_at(i)); i++) {
		lock_fork_child(&c->lock);
		forget_blocks(c->free);
		for (struct thread *first = c->chains; first; first = first->joiner)
			forget_blocks(first);
	}
	lock_fork_child(&classes_lock);
}
