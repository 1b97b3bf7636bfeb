// SPDX-License-Identifier: BSD-2-Clause
/*
 * Inside io/: what is remembered of each descriptor.
 *
 * A table in two levels, indexed by the descriptor; pages are mapped at first need and never
 * unmapped, zero is the right initial state, so a look-up takes no lock.
 * Order:
 *   slot.word    waiter: under the bucket's lock, read word, queue; event: under it, take or TRY.
 *                The event may skip the lock when the word is TRY already: a later taker's call
 *                comes after its taking, and so sees what the event told.
 *   slot.close   closer: set CLOSING (or NO_POLL), look for REGISTERED; registrar: set REGISTERED, look for them
 *   slot.polls   poller of many: link its node (locked), ask the kernel; event: happened in the
 *                kernel, read npolls
 */
#ifndef UPCALL_IO_SLOT_H
#define UPCALL_IO_SLOT_H

#include <stddef.h>

#include "../base/list.h"
#include "../sync/lot.h"
#include "io.h"

enum { WORD_TRY, WORD_EMPTY };

enum slot_flag {
	SLOT_REGISTERED = 1 << 0,
	SLOT_STICKY = IO_KNOWN_STICKY,
	SLOT_NO_POLL = 1 << 2,		/* epoll refuses it, or would take its events */
	SLOT_CLOSING = 1 << 3,		/* not to be registered now */
};					/* and what else io.h has in it */

struct slot {
	struct au32 gen;
	struct au32 flags;
	struct au32 word[2];		/* set to TRY under the bucket's lock; from here to `turn`, zero in a child (reset_slot) */
	struct au32 npolls;		/* nodes in `polls` */
	struct au32 mode_epoch;		/* known to be blocking while it equals the process's */
	struct au32 turn[2];		/* see turn.c */
	struct au32 pipe;		/* which pipe of this process's it is an end of; 0: none, or not known */
	struct au32 reader;		/* and its reading end, if it is the other, + 1; hints, both */
	struct bucket bucket;		/* of those who wait for either direction */
	struct list polls;		/* guarded by the bucket; next == NULL: empty */
	struct au64 timeout_ns[2];	/* SO_RCVTIMEO, SO_SNDTIMEO; valid with the note */
	struct au32 nonblock_epoch;	/* the note IO_NONBLOCK stands while it equals the process's */
	struct au32 turns, turns_left;	/* a pipe's reads are to give: io_give_turn; the first is how often, each time anew */
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct slot, bucket) == LOT_OWN_BUCKET, "where lot.c looks for it");

/* What is waited on for a direction. */
static inline const void *slot_key(const struct slot *s, enum io_dir dir)
{
	return lot_key((const char *)s + dir * 8, LOT_OWN);
}

/* One poll() of many descriptors: on its caller's stack, linked to slots under their locks. */
struct many {
	struct au32 fired;
	struct thread *t;
};

struct many_node {
	struct list link;
	struct many *many;
	struct slot *slot;		/* NULL: not linked */
	uint32_t events;
};

enum { SLOTS_PER_PAGE = 1024, SLOT_PAGES = 4096 };

#pragma GCC visibility push(hidden)

extern APTR(struct slot) slot_pages[SLOT_PAGES];

/* The slot if it exists. */
static inline struct slot *slot_peek(int fd)
{
	unsigned page = (unsigned)fd / SLOTS_PER_PAGE;

	if (unlikely(page >= SLOT_PAGES))
		return NULL;
	struct slot *slots = load_acquire(&slot_pages[page]);

	return likely(slots != NULL) ? &slots[(unsigned)fd % SLOTS_PER_PAGE] : NULL;
}

struct slot *slot_get(int fd);		/* NULL: no memory, or the number is too high */
/* Inside the runtime.  Each returns how many threads it made ready. */
int slot_post(struct slot *s, enum io_dir dir);
int slot_event(struct slot *s, uint32_t events);
int slot_wake_all(struct slot *s);
void slot_link(struct many_node *node, struct many *m);
void slot_unlink(struct many_node *node);
void slots_each(void (*fn)(int fd, struct slot *s));
int wait_error(enum wait_result r);	/* -ETIMEDOUT, -EINTR, -ECANCELED, or 0: woken */
/* The word a wait for many parks on: in the descriptor, which is never unmapped. */
const void *many_key(const struct thread *t);

/* epoll.c; outside the runtime or inside. */
int epoll_register(int fd, struct slot *s);
void epoll_unregister(int fd);
/* Inside the runtime, holding no lock: me is about to wait for what the poller hears of; and it has. */
void epoll_begin_wait(struct thread *me);
void epoll_end_wait(struct thread *me);
/* A descriptor of ours goes to the top of the table; the ring's is watched from then on. */
int epoll_move_up(int fd);
int epoll_watch_ring(int fd);

int epoll_watch_signals(int ep, int fd);
int epoll_open_signals(void);

/* signals.c */
int signals_fd(void);			/* -1: none */
int signals_open(int ep);		/* makes a new one, which that instance watches; 0 or -errno */
int signals_edge(void);			/* inside the runtime; how many threads it made ready */
void signals_fork_child(bool shares_files);

/* turn.c */
void turns_forget(struct slot *s);	/* outside the runtime, when its generation is another already */
bool turns_are_free(const struct slot *s);

/* ring.c */
int ring_fd(void);			/* -1: none */
int ring_reap(void);			/* inside the runtime; how many threads it made ready */
void ring_fork_child(bool shares_files);

#pragma GCC visibility pop

#endif
