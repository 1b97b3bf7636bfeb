// SPDX-License-Identifier: BSD-2-Clause
/*
 * Making a used TLS block look new.
 *
 * libc does it with a cached stack so: it frees what dynamic TLS there was and lets ld.so initialise
 * every module's block again.  We keep libc.so's own segment (malloc's cache of this thread lives
 * there, and nothing exported would give it back).
 *
 * ld.so does it under its lock and walks its modules, which costs more than all the rest of making a
 * thread.  So after it has done so once, the blocks of modules that have a fixed place are saved as
 * they were then, and the next time they are copied: as long as ld.so's table of modules (its
 * slotinfo, which libc describes for debuggers) and the thread's own dtv are what they were, before
 * the copy and after it.  A module that comes or goes changes the table before anybody can know of it.
 *
 * One that is without a fixed place is given one when another library is loaded that wants it there: the table does not
 * tell, but ld.so's sums of such places do, which it keeps right behind the table's address.
 */
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "../base/inject.h"
#include "../base/lock.h"
#include "../sys/sys.h"
#include "inside.h"
#include "tls.h"

enum { MODULES = 24, DATA_BYTES = 3072, IMAGES_MAX = 1024, KEPT_BYTES = 512, NSUMS = 3 };

struct dtv_entry { uintptr_t val; void *to_free; };
struct slotinfo { size_t generation; void *map; };

/* A new block, as far as it has a fixed place.  Never changed once it is in `image`. */
struct image {
	size_t generation;		/* of a dtv that fits */
	unsigned nmodules, nparts;
	bool has_placeless;
	struct sums { size_t of[NSUMS]; } sums;
	struct slotinfo seen[MODULES + 2];	/* from module 1; the last one is free */
	struct part { ptrdiff_t offset; uint32_t from, bytes; unsigned module; } parts[MODULES];
	char data[DATA_BYTES];
};

static struct {
	void (*init)(void *, bool);
	ptrdiff_t kept_offset;		/* libc.so's own segment */
	size_t kept_bytes;
	struct slotinfo *const *slots;	/* where the table of ld.so begins; NULL: unknown */
} libc;

static APTR(struct image) image;
static struct lock image_lock;
static unsigned images, failures;	/* guarded by image_lock */
static bool may_not_walk;		/* in a child: a thread of the parent's may have had ld.so's lock */

static const uint32_t *described(const char *name)
{
	return inside_find(name);	/* size in bits, elements, offset */
}

void tls_reset_init(void (*init)(void *, bool), ptrdiff_t kept_offset, size_t kept_bytes)
{
	const uint32_t *list = described("_thread_db_rtld_global__dl_tls_dtv_slotinfo_list");
	const uint32_t *slots = described("_thread_db_dtv_slotinfo_list_slotinfo");
	const uint32_t *generation = described("_thread_db_dtv_slotinfo_gen");
	const uint32_t *map = described("_thread_db_dtv_slotinfo_map");
	const uint32_t *bytes = described("_thread_db_sizeof_dtv_slotinfo");
	char *global = inside_find("_rtld_global");

	libc.init = init;
	libc.kept_offset = kept_offset;
	libc.kept_bytes = kept_bytes;
	if (!list || !slots || !generation || !map || !bytes || !global || *bytes != sizeof(struct slotinfo) ||
	    generation[2] != offsetof(struct slotinfo, generation) || map[2] != offsetof(struct slotinfo, map) ||
	    slots[2] != sizeof(struct slotinfo))
		return;			/* the table follows a head of two words: length, next */
	libc.slots = (struct slotinfo *const *)(global + list[2]);
}

/* Slot 0 of the table is unused: modules are numbered from 1, and the table's head is as long as a slot. */
static const struct slotinfo *slots_now(void)
{
	return *libc.slots + 1;
}

/* The table is a list of parts: how many slots, the next part, the slots.  Each change is of a later generation. */
uint64_t tls_modules(void)
{
	static struct au64 unknown;
	uint64_t last = 0;

	if (!libc.slots)
		return fetch_add(&unknown, 1);
	for (const struct slotinfo *part = *libc.slots; part; part = part->map)
		for (size_t i = 1; i <= part->generation; i++)
			if (part[i].generation > last)
				last = part[i].generation;
	compiler_barrier();
	return last;
}

static struct dtv_entry *dtv_of(const struct thread *t)
{
	return ((struct dtv_entry **)t->tls)[1];
}

static inline bool is_as_seen(const struct image *m, const struct slotinfo *now, unsigned i)
{
	return now[i].generation == m->seen[i].generation && now[i].map == m->seen[i].map;
}

/* How many modules have a place, how large these are together; between them, before glibc 2.34, how large there is room for. */
static struct sums sums_now(void)
{
	return libc.slots ? *(const struct sums *)(libc.slots + 1) : (struct sums){ 0 };
}

static bool is_current(const struct image *m, const struct dtv_entry *dtv)
{
	if (dtv[0].val != m->generation)
		return false;
	if (unlikely(m->has_placeless)) {
		struct sums now = sums_now();

		if (memcmp(&m->sums, &now, sizeof(now)))
			return false;
	}
	const struct slotinfo *now = slots_now();

	for (unsigned i = 1; i <= m->nmodules + 1; i++)
		if (!is_as_seen(m, now, i))
			return false;
	for (unsigned i = 1; i <= m->nmodules; i++)
		if (dtv[i].to_free)
			return false;
	return true;
}

/* False as well when a module went meanwhile: another one may have its place, and new data there. */
static bool copy_image(struct thread *t)
{
	const struct image *m = load_acquire(&image);

	if (!m || !is_current(m, dtv_of(t)))
		return false;
	INJECT_POINT();
	for (unsigned i = 0; i < m->nparts; i++)
		memcpy((char *)t->tls + m->parts[i].offset, m->data + m->parts[i].from, m->parts[i].bytes);
	/* The copies have left the processor long before a library is unloaded and another one loaded. */
	compiler_barrier();
	const struct slotinfo *now = slots_now();

	for (unsigned i = 0; i < m->nparts; i++)
		if (!is_as_seen(m, now, m->parts[i].module))
			return false;
	return true;
}

/* What is being learnt, from whose new block. */
struct lesson {
	struct image *m;
	char *tls;
	const struct dtv_entry *dtv;
	uint32_t used;
	bool fails;
};

static int learn_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct lesson *l = arg;
	size_t id = size >= sizeof(*info) ? info->dlpi_tls_modid : 0, bytes = 0;

	if (!id)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			bytes = info->dlpi_phdr[i].p_memsz;
	/* Without a value: it came after the block was initialised. */
	if (id > l->m->nmodules || !l->dtv[id].val || l->used + bytes > DATA_BYTES) {
		l->fails = true;
		return 1;
	}
	ptrdiff_t offset = (char *)l->dtv[id].val - l->tls;

	if (l->dtv[id].val == UINTPTR_MAX)
		l->m->has_placeless = true;
	if (l->dtv[id].val == UINTPTR_MAX || offset == libc.kept_offset || !bytes)
		return 0;		/* without a fixed place; or libc.so's */
	l->m->parts[l->m->nparts++] = (struct part){ offset, l->used, (uint32_t)bytes, (unsigned)id };
	memcpy(l->m->data + l->used, l->tls + offset, bytes);
	l->used += (uint32_t)bytes;
	return 0;
}

/*
 * False: there are too many modules, or some came after the block was initialised.  The slot of one that went has no
 * map; its generation, that of its going, is above every block's until another module comes.
 */
static bool note_slots(struct image *m, const struct dtv_entry *dtv)
{
	for (unsigned i = 1; i <= MODULES + 1; i++) {
		m->seen[i] = slots_now()[i];
		if (m->seen[i].map || m->seen[i].generation)
			m->nmodules = i;
		if (m->seen[i].map && m->seen[i].generation > dtv[0].val)
			return false;
	}
	m->generation = dtv[0].val;
	return m->nmodules <= MODULES && m->nmodules <= dtv[-1].val;
}

/* ld.so has just initialised t's block.  Outside the runtime: takes a lock of ld.so's. */
static void learn(struct thread *t, const struct sums *before)
{
	struct image *m = images < IMAGES_MAX && failures < IMAGES_MAX ? sys_map(sizeof(*m)) : NULL;
	struct lesson l = { m, t->tls, dtv_of(t), 0, false };

	if (!m)
		return;
	m->sums = *before;		/* places that are given later show, whether that block has them or not */
	if (note_slots(m, l.dtv))
		dl_iterate_phdr(learn_module, &l);
	else
		l.fails = true;
	if (!l.fails && is_current(m, l.dtv)) {
		images++;		/* old ones stay: somebody may be copying them */
		store_release(&image, m);
	} else {
		failures++;
		sys_unmap(m, sizeof(*m));
	}
}

/* As many threads as want to may reset theirs meanwhile, the slow way. */
static void learn_if_alone(struct thread *t, const struct sums *before)
{
	struct thread *me = thread_self();

	if (!libc.slots || may_not_walk || me->in_rt || !lock_try(&image_lock))
		return;
	const struct image *m = load_relaxed(&image);

	if (!m || !is_current(m, dtv_of(t)))	/* else t's own dtv was an old one */
		learn(t, before);
	lock_drop(&image_lock);
}

/* As libc does. */
static COLD void reset_slowly(struct thread *t)
{
	char kept[KEPT_BYTES];
	struct dtv_entry *dtv = dtv_of(t);
	bool keeps = libc.kept_bytes <= sizeof(kept);
	size_t modules = *(size_t *)&dtv[-1];

	for (size_t i = 1; i <= modules; i++)
		if (dtv[i].to_free)
			free(dtv[i].to_free);
	memset(dtv, 0, (modules + 1) * sizeof(*dtv));
	if (keeps)
		memcpy(kept, (char *)t->tls + libc.kept_offset, libc.kept_bytes);
	struct sums before = sums_now();

	libc.init(t->tls, true);
	if (keeps) {
		memcpy((char *)t->tls + libc.kept_offset, kept, libc.kept_bytes);
		learn_if_alone(t, &before);
	}
}

void tls_reset_fork_child(void)
{
	lock_fork_child(&image_lock);
	may_not_walk = true;
}

void tls_reset(struct thread *t)
{
	if (unlikely(!copy_image(t)))
		reset_slowly(t);
	tls_set_self(t->tls, t);
}
