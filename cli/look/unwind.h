// SPDX-License-Identifier: BSD-2-Clause
/*
 * The call stack of one thread.  Of a thread that is switched out its registers and its stack lie in
 * memory, and nothing is stopped.  A kernel thread that runs is stopped for the time that copying
 * registers and stack takes, well under a millisecond.
 */
#ifndef UPCALL_LOOK_UNWIND_H
#define UPCALL_LOOK_UNWIND_H

#include "snapshot.h"

enum { FRAMES_MAX = 256 };

struct frames {
	uint64_t pc[FRAMES_MAX];
	bool is_exact[FRAMES_MAX];	/* pc is where it is, not where it returns to */
	size_t n;
	bool is_cut;			/* there are more */
	char problem[128];		/* why the end is not the thread's first frame, or empty */
};

/* Once for a snapshot; false: t->problem says why. */
bool unwind_begin(struct snapshot *s);
/* A kernel thread that did not stop in time is let go on once it has: to be called now and then. */
void unwind_let_go(void);
void unwind_thread(struct snapshot *s, const struct look_thread *t, struct frames *ret_frames);

#endif
