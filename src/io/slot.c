// SPDX-License-Identifier: BSD-2-Clause
#include "slot.h"

#include <sys/epoll.h>

#include "../sys/sys.h"

typeof(slot_pages[0]) slot_pages[SLOT_PAGES];
static struct au32 slots_end;		/* no slot from here on was ever asked for */

/* For who looks at each: the others are not to be touched. */
static void raise_end(uint32_t end)
{
	for (uint32_t was = load_relaxed(&slots_end); was < end && !cas_seq_cst(&slots_end, &was, end);)
		;
}

struct slot *slot_get(int fd)
{
	unsigned page = (unsigned)fd / SLOTS_PER_PAGE;
	struct slot *none = NULL;

	if (page >= SLOT_PAGES)
		return NULL;
	if (unlikely((uint32_t)fd >= load_relaxed(&slots_end)))
		raise_end((uint32_t)fd + 1);
	if (!load_acquire(&slot_pages[page])) {
		size_t bytes = SLOTS_PER_PAGE * sizeof(struct slot);
		struct slot *fresh = sys_map(bytes);

		if (!fresh)
			return NULL;
		if (!cas_seq_cst(&slot_pages[page], &none, fresh))
			sys_unmap(fresh, bytes);
	}
	return slot_peek(fd);
}

void slots_each(void (*fn)(int fd, struct slot *s))
{
	int end = (int)load_acquire(&slots_end);

	for (int fd = 0; fd < end; fd++) {
		struct slot *s = slot_peek(fd);

		if (s)
			fn(fd, s);
		else
			fd |= SLOTS_PER_PAGE - 1;
	}
}

int slot_post(struct slot *s, enum io_dir dir)
{
	struct bucket *b = lot_lock(slot_key(s, dir));
	struct thread *t = lot_take(b, slot_key(s, dir));

	if (!t)
		store_relaxed(&s->word[dir], WORD_TRY);
	lot_unlock(b);
	if (!t)
		return 0;
	unpark(t);
	return 1;
}

/* The word is TRY while all are woken, so that none parks again without a try of its own. */
static int wake_dir(struct slot *s, enum io_dir dir)
{
	struct thread *t;
	int n = -1;

	do {
		struct bucket *b = lot_lock(slot_key(s, dir));

		store_relaxed(&s->word[dir], WORD_TRY);
		t = lot_take(b, slot_key(s, dir));
		lot_unlock(b);
		if (t)
			unpark(t);
		n++;
	} while (t);
	return n;
}

const void *many_key(const struct thread *t)
{
	return &t->posix[10];
}

/*
 * Whoever waits for many is told at most once a wait, and outside the lock: by the key of a
 * descriptor, since his nodes may be gone by then.  A late wake is one look in vain.
 */
static int fire_polls(struct slot *s, uint32_t events)
{
	enum { BATCH = 16 };
	struct thread *told[BATCH];
	int n, woken = 0;

	do {
		struct bucket *b = lot_lock(slot_key(s, IO_READ));

		n = 0;
		for (struct list *at = s->polls.next; at && at != &s->polls && n < BATCH; at = at->next) {
			struct many_node *node = container_of(at, struct many_node, link);

			if ((node->events & events) && !xchg_seq_cst(&node->many->fired, 1))
				told[n++] = node->many->t;
		}
		lot_unlock(b);
		for (int i = 0; i < n; i++)
			woken += lot_wake(many_key(told[i]), 1);
	} while (n == BATCH);
	return woken;
}

void slot_link(struct many_node *node, struct many *m)
{
	struct slot *s = node->slot;
	struct bucket *b = lot_lock(slot_key(s, IO_READ));

	if (!s->polls.next)
		list_init(&s->polls);
	node->many = m;
	list_push_back(&s->polls, &node->link);
	fetch_add(&s->npolls, 1);		/* pairs: slot.polls */
	lot_unlock(b);
}

void slot_unlink(struct many_node *node)
{
	struct slot *s = node->slot;
	struct bucket *b = lot_lock(slot_key(s, IO_READ));

	list_remove(&node->link);
	fetch_sub(&s->npolls, 1);
	lot_unlock(b);
}

int slot_wake_all(struct slot *s)
{
	return wake_dir(s, IO_READ) + wake_dir(s, IO_WRITE) +
	       (load_seq_cst(&s->npolls) ? fire_polls(s, ~0u) : 0);
}

static int event_dir(struct slot *s, enum io_dir dir)
{
	return load_seq_cst(&s->word[dir]) == WORD_TRY ? 0 : slot_post(s, dir);	/* pairs: slot.word */
}

int slot_event(struct slot *s, uint32_t events)
{
	const uint32_t ends = EPOLLHUP | EPOLLERR;
	int n = 0;

	if ((events & (ends | EPOLLRDHUP | EPOLLPRI)) && !(load_relaxed(&s->flags) & SLOT_STICKY))
		fetch_or(&s->flags, SLOT_STICKY);
	if (events & ends)
		return slot_wake_all(s);
	if (events & (EPOLLIN | EPOLLRDHUP | EPOLLPRI))
		n += event_dir(s, IO_READ);
	if (events & EPOLLOUT)
		n += event_dir(s, IO_WRITE);
	if (load_seq_cst(&s->npolls))		/* pairs: slot.polls */
		n += fire_polls(s, events);
	return n;
}
