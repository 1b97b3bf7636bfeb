// SPDX-License-Identifier: BSD-2-Clause
#include "wait.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* What the target's table says, found once. */
static struct {
	const char *kinds[256];
	uint64_t tag_mask, mutex_owner, mutex_word, mutex_holder, mutex_holder_shift;
	uint64_t rwlock_writer, rwlock_word, readers, is_written;
	uint64_t slot_bytes, per_page;
	uint64_t life_offset, many_offset, many_shift;
	struct slot_page { uint64_t address, index; } *pages;	/* by address */
	size_t npages;
} at;

static int by_address(const void *a, const void *b)
{
	const struct slot_page *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void read_slot_pages(const struct target *t)
{
	const struct upcall_entry *e = target_entry(t, "slot.pages");
	size_t n = e ? e->bytes / 8u : 0;
	uint64_t *pages = malloc(n * 8 + 8);

	free(at.pages);
	at.npages = 0;
	at.pages = calloc(n + 1, sizeof(*at.pages));
	if (pages && at.pages && n && target_read(t, e->value, pages, n * 8))
		for (size_t i = 0; i < n; i++)
			if (pages[i])
				at.pages[at.npages++] = (struct slot_page){ pages[i], i };
	if (at.pages)
		qsort(at.pages, at.npages, sizeof(*at.pages), by_address);
	free(pages);
}

void wait_prepare(const struct snapshot *s)
{
	const struct target *t = s->target;

	for (unsigned i = 0; i < 256; i++)
		at.kinds[i] = NULL;
	for (uint32_t i = 0; i < t->page.nentries; i++) {
		const struct upcall_entry *e = &t->entries[i];

		if (e->kind == UPCALL_VALUE && e->value < 256 && !strncmp(e->name, "wait.", 5))
			at.kinds[e->value] = e->name + 5;
	}
	at.tag_mask = target_value(t, "key.tag_mask", 0);
	at.mutex_owner = target_value(t, "mutex.owner", UINT64_MAX);
	at.mutex_word = target_value(t, "mutex.word", 0);
	at.mutex_holder = target_value(t, "mutex.holder", 0);
	at.mutex_holder_shift = target_value(t, "mutex.holder_shift", 0) & 31;
	at.rwlock_writer = target_value(t, "rwlock.writer", UINT64_MAX);
	at.rwlock_word = target_value(t, "rwlock.word", UINT64_MAX);
	at.readers = target_value(t, "rwlock.readers", 0);
	at.is_written = target_value(t, "rwlock.is_written", 0);
	at.slot_bytes = target_value(t, "slot", 0);
	at.per_page = target_value(t, "slot.per_page", 0);
	at.life_offset = target_field(t, "thread.life").offset;
	at.many_offset = target_value(t, "thread.many_key", 0);
	at.many_shift = target_value(t, "many.shift", 0) & 63;
	read_slot_pages(t);
	kernel_forget_sockets();
}

static bool is_kind(const struct wait_info *w, const char *kind)
{
	return w->kind && !strcmp(w->kind, kind);
}

/* The slot that the key is in says which descriptor, the word which way. */
static void find_fd(uint64_t key, struct wait_info *w)
{
	for (size_t i = 0; i < at.npages && at.slot_bytes; i++) {
		uint64_t offset = key - at.pages[i].address;

		if (key < at.pages[i].address || offset >= at.per_page * at.slot_bytes)
			continue;
		w->fd = (int)(at.pages[i].index * at.per_page + offset / at.slot_bytes);
		w->direction = offset % at.slot_bytes == 0 ? "read" : "write";
		return;
	}
}

/* The thread as it is now, if it is in the wait that the snapshot has of it. */
static bool still_waits(const struct snapshot *s, const struct look_thread *t, struct look_thread *ret_now)
{
	return snapshot_reread(s, t->address, ret_now) && ret_now->wait_seq == t->wait_seq &&
	       ret_now->wait_key == t->wait_key && ret_now->id == t->id;
}

/* Its struct pollfds, which poll has copied, perhaps: they are on its stack, for as long as it waits. */
static void find_fds(const struct snapshot *s, const struct look_thread *t, struct wait_info *w)
{
	struct pollfd fds[WAIT_FDS];
	struct look_thread now;
	uint64_t arg = t->wait_arg;
	unsigned n = at.many_shift ? (unsigned)(arg >> at.many_shift) : 0, room = n < WAIT_FDS ? n : WAIT_FDS;

	w->direction = "poll";
	if (!room || !target_read(s->target, arg & ((UINT64_C(1) << at.many_shift) - 1), fds, room * sizeof(fds[0])) ||
	    !still_waits(s, t, &now))
		return;
	w->nfds = n;
	for (unsigned i = 0; i < room; i++)
		w->fds[i] = fds[i].fd;
}

static void find_owner(const struct snapshot *s, uint64_t offset, struct wait_info *w)
{
	if (offset == UINT64_MAX)
		return;
	w->owner_tid = (int)target_read_word(s->target, w->object + offset, 4);
	w->owner = w->owner_tid ? snapshot_by_tid(s, w->owner_tid) : NULL;
}

/* A native one's word has 32 bits of its holder's address; which of those, one near the waiter's tells. */
static void find_holder(const struct snapshot *s, const struct look_thread *t, struct wait_info *w)
{
	uint64_t span = (UINT64_C(1) << 32) << at.mutex_holder_shift;
	uint64_t part = target_read_word(s->target, w->object + at.mutex_word, 4) & at.mutex_holder;
	uint64_t near = (t->address & ~(span - 1)) | part << at.mutex_holder_shift;

	if (!part) {
		find_owner(s, at.mutex_owner, w);
		return;
	}
	w->owner = snapshot_by_address(s, near);
	for (int side = -1; side <= 1 && !w->owner; side += 2)
		w->owner = snapshot_by_address(s, near + span * (uint64_t)side);
}

/* Readers leave no names, and the tid of a writer that is gone may still be there. */
static void find_holders(const struct snapshot *s, struct wait_info *w)
{
	uint64_t word;

	if (at.rwlock_word == UINT64_MAX)
		return;
	word = target_read_word(s->target, w->object + at.rwlock_word, 4);
	if (word & at.is_written)
		find_owner(s, at.rwlock_writer, w);
	else
		w->readers = (uint32_t)(word & at.readers);
}

/* What the program would know: of a channel, not the condition that is in it. */
static uint64_t object_of(const struct look_thread *t, const struct wait_info *w)
{
	if (is_kind(w, "sleep") || is_kind(w, "park") || is_kind(w, "signal"))
		return 0;
	return strncmp(w->kind, "channel", 7) ? t->wait_key & ~at.tag_mask : t->wait_arg;
}

static void describe_parked(const struct snapshot *s, const struct look_thread *t, struct wait_info *w)
{
	w->kind = at.kinds[t->wait_kind];
	if (!w->kind)
		w->kind = "wait";
	if (t->wait_deadline_ns != UINT64_MAX)
		w->left_ns = !s->now_ns ? UINT64_MAX : t->wait_deadline_ns > s->now_ns ? t->wait_deadline_ns - s->now_ns : 0;
	if (is_kind(w, "io")) {
		if (t->wait_key == t->address + at.many_offset)
			find_fds(s, t, w);
		else
			find_fd(t->wait_key & ~at.tag_mask, w);
	} else if (is_kind(w, "join")) {
		w->owner = snapshot_by_address(s, (t->wait_key & ~at.tag_mask) - at.life_offset);
	} else {
		w->object = object_of(t, w);
		w->symbol = target_symbol(s->target, w->object);
	}
	/* Only an untagged key is the lock itself: a waiter on a condition may have been moved there. */
	if (is_kind(w, "mutex"))
		find_holder(s, t, w);
	else if (is_kind(w, "rwlock"))
		find_holders(s, w);
}

static void none(struct wait_info *w)
{
	*w = (struct wait_info){ .symbol = "", .fd = -1, .direction = "", .left_ns = UINT64_MAX };
}

static void describe_call(const struct snapshot *s, const struct kernel_call *c, struct wait_info *w)
{
	w->call = c->number < 0 ? "page fault" : kernel_call_name(c->number);
	w->call_number = c->number;
	w->fault_pc = c->number < 0 ? c->pc : 0;
	kernel_wait(s->target->pid, w->kernel_tid, &w->kernel);
	if (kernel_call_has_fd(w->call))
		w->fd = (int)c->args[0];
	if (w->call && !strcmp(w->call, "futex")) {
		w->object = c->args[0];
		w->symbol = target_symbol(s->target, w->object);
	}
}

void wait_of_kernel(const struct snapshot *s, int tid, struct wait_info *w)
{
	struct kernel_call c = { .is_blocked = false };

	none(w);
	w->kernel_tid = tid;
	if (s->target->pid)
		kernel_call(s->target->pid, tid, &c);
	if (c.is_blocked)
		describe_call(s, &c, w);
}

void wait_of(const struct snapshot *s, struct look_thread *t, struct wait_info *w)
{
	int tid = thread_kernel_tid(s, t);
	struct kernel_call c = { .is_blocked = false };

	none(w);
	w->kernel_tid = tid;
	/* One of the runtime's own may be parked on nothing that has a name. */
	if (t->state == LOOK_PARKED && !t->wait_key)
		return;
	if (t->state == LOOK_PARKED || (t->state == LOOK_BOUND && t->wait_key)) {
		describe_parked(s, t, w);
		return;
	}
	if (!tid || !s->target->pid)
		return;
	kernel_call(s->target->pid, tid, &c);
	if (!c.is_blocked)
		return;
	if (t->state == LOOK_RUNNING)
		t->state = LOOK_KERNEL;
	describe_call(s, &c, w);
}

/* Whom a thread waits for, whatever for; NULL when that cannot be said. */
static struct look_thread *waits_for(const struct snapshot *s, struct look_thread *t)
{
	struct wait_info w;
	const char *kind = at.kinds[t->wait_kind];

	if ((t->state != LOOK_PARKED && t->state != LOOK_BOUND) || !t->wait_key || !kind ||
	    (strcmp(kind, "mutex") && strcmp(kind, "rwlock") && strcmp(kind, "join")))
		return NULL;
	wait_of(s, t, &w);
	/* A circle with a time limit in it ends by itself. */
	return w.owner && w.left_ns == UINT64_MAX ? snapshot_by_address(s, w.owner->address) : NULL;
}

static bool still_waits_for(const struct snapshot *s, const struct look_thread *t, const struct look_thread *next)
{
	struct look_thread now;
	struct wait_info w;

	if (!still_waits(s, t, &now))
		return false;
	wait_of(s, &now, &w);
	return w.owner && w.owner->address == next->address;
}

/* The circle from `start` on, if all its waits are still the same ones. */
static bool take_circle(const struct snapshot *s, uint32_t *next, uint32_t start, struct circle *c)
{
	uint32_t i = start;

	c->n = 0;
	do
		c->n++;
	while ((i = next[i]) != start);
	c->threads = calloc(c->n, sizeof(*c->threads));
	if (!c->threads)
		return false;
	for (size_t k = 0; k < c->n; k++, i = next[i]) {
		c->threads[k] = &s->threads[i];
		if (!still_waits_for(s, &s->threads[i], &s->threads[next[i]])) {
			free(c->threads);
			return false;
		}
	}
	return true;
}

/* Each thread waits for one other at most, so a walk that marks its steps finds each circle once. */
size_t circles_find(const struct snapshot *s, struct circle **ret)
{
	enum { NOBODY = -1u };
	uint32_t *next = malloc((s->nthreads + 1) * sizeof(*next));
	uint32_t *mark = calloc(s->nthreads + 1, sizeof(*mark));
	struct circle *found = NULL;
	size_t n = 0;

	for (size_t i = 0; next && i < s->nthreads; i++) {
		struct look_thread *to = waits_for(s, &s->threads[i]);

		next[i] = to ? (uint32_t)(to - s->threads) : NOBODY;
	}
	for (uint32_t i = 0; next && mark && i < s->nthreads; i++) {
		uint32_t at_thread = i;

		while (at_thread != NOBODY && !mark[at_thread]) {
			mark[at_thread] = i + 1;
			at_thread = next[at_thread];
		}
		if (at_thread == NOBODY || mark[at_thread] != i + 1)
			continue;
		struct circle *more = realloc(found, (n + 1) * sizeof(*more));

		if (!more)
			break;
		found = more;
		n += take_circle(s, next, at_thread, &found[n]);
	}
	free(next);
	free(mark);
	*ret = found;
	return n;
}

void circles_free(struct circle *circles, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(circles[i].threads);
	free(circles);
}
