// SPDX-License-Identifier: BSD-2-Clause
/*
 * Turns at calls that may block.  A word for each direction of a descriptor, in its slot: who has the turn, and whether
 * somebody waits for it.  No mutex: a wait for it ends by a deadline, a cancellation and the descriptor's closing, as
 * another process may have made whoever has it block.  It is forgotten when the descriptor is closed: then whoever had
 * it finds that it is not his any more, and leaves the word alone.
 */
#include <errno.h>
#include <limits.h>

#include "../base/child.h"
#include "slot.h"

enum { FREE = 0, HELD = 1 << 30, WANTED = 1u << 31 };

/* Of two threads that have one name, a billion threads apart, both have the turn: one may block. */
static uint32_t name_of(const struct thread *t)
{
	return HELD | (t->id & (HELD - 1));
}

static void wake(struct au32 *word, int n)
{
	struct thread *me = rt_enter();

	lot_wake(word, n);
	rt_leave(me);
}

static int wait(struct au32 *word, uint32_t seen, uint64_t deadline_ns)
{
	struct thread *me = rt_enter();
	enum wait_result why = lot_wait_word(me, word, seen, deadline_ns, WAIT_EVENT, LOT_INTERRUPTIBLE);

	rt_leave(me);
	return why == WAIT_TIMEOUT || why == WAIT_CANCEL ? wait_error(why) : 0;
}

int io_turn_begin(int fd, enum io_dir dir, uint64_t deadline_ns)
{
	struct slot *s = slot_get(fd);
	int err;

	if (unlikely(!s))
		return IO_NO_TURN;
	uint32_t gen = load_seq_cst(&s->gen), mine = name_of(thread_self()), wanted = 0;
	struct au32 *word = &s->turn[dir];

	for (;;) {
		uint32_t seen = FREE;

		if (likely(cas_seq_cst(word, &seen, mine | wanted)))
			return 0;
		if ((seen & ~WANTED) == mine)
			return IO_NO_TURN;
		if (!(seen & WANTED) && !cas_seq_cst(word, &seen, seen | WANTED))
			continue;
		err = wait(word, seen | WANTED, deadline_ns);
		if (err)
			return err;
		wanted = WANTED;	/* of several who waited one was woken */
		if (load_seq_cst(&s->gen) != gen) {
			wake(word, INT_MAX);	/* perhaps that was he, and all of them are to hear it */
			return -EBADF;
		}
	}
}

void io_turn_end(int fd, enum io_dir dir)
{
	struct au32 *word = &slot_peek(fd)->turn[dir];
	uint32_t mine = name_of(thread_self()), seen = mine;

	if (likely(cas_seq_cst(word, &seen, FREE)))
		return;
	if (seen == (mine | WANTED) && cas_seq_cst(word, &seen, FREE))
		wake(word, 1);
}

/* Outside the runtime, when its generation is another already. */
void turns_forget(struct slot *s)
{
	for (int dir = IO_READ; dir <= IO_WRITE; dir++)
		if (unlikely(load_seq_cst(&s->turn[dir])) && (xchg_seq_cst(&s->turn[dir], FREE) & WANTED))
			wake(&s->turn[dir], INT_MAX);
}

bool turns_are_free(const struct slot *s)
{
	return !load_relaxed(&s->turn[IO_READ]) && !load_relaxed(&s->turn[IO_WRITE]);
}

static void reset(int fd, struct slot *s)
{
	(void)fd;
	zero_in_child(s->turn, sizeof(s->turn));
}

void io_turns_fork_child(void)
{
	slots_each(reset);
}
