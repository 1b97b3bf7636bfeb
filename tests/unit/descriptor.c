// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which lines of a thread's description its hot paths touch, as doc/design.md says: what belongs together lies
 * together.  A field that moves out of its line makes one more to be fetched for each switch or wait.
 */
#include "threads.h"

#include <stddef.h>

#include "thread/thread.h"

enum { LINE = 64 };

#define LINE_OF(field) (offsetof(struct thread, field) / LINE)
#define END_OF(field) ((offsetof(struct thread, field) + sizeof(((struct thread *)0)->field) - 1) / LINE)
#define IS_IN(line, field) _Static_assert(LINE_OF(field) == (line) && END_OF(field) == (line), #field)

/* 0 and WAIT: who is woken and queued (thread_prefetch).  0, PLACE and TURN: who is switched to or from. */
enum { PLACE = 1, TURN = 2, WAIT = 3, LIMIT = 4, POSIX = 7 };

IS_IN(0, sp);
IS_IN(0, tls);
IS_IN(0, act);
IS_IN(0, in_rt);
IS_IN(0, pending);
IS_IN(0, state);
IS_IN(0, kind);
IS_IN(0, locks_plainly);
IS_IN(0, yields);
IS_IN(0, binds_soon);
IS_IN(0, is_bare);
IS_IN(0, goes_first);
IS_IN(0, is_exchanged);
IS_IN(0, kticks_blocked);
IS_IN(0, qnext);
IS_IN(0, wait_lock);

IS_IN(PLACE, last_vproc);
IS_IN(PLACE, kmask);
/* Of a short life, too. */
IS_IN(PLACE, start);
IS_IN(PLACE, arg);
IS_IN(PLACE, result);
IS_IN(PLACE, stack_start);
IS_IN(PLACE, life);
IS_IN(PLACE, joiner);

IS_IN(TURN, left_ticks);
IS_IN(TURN, burst_ticks);
IS_IN(TURN, nopreempt);
IS_IN(TURN, directed);
IS_IN(TURN, name);
IS_IN(TURN, directed);
IS_IN(TURN, name);

IS_IN(WAIT, wait_link);
IS_IN(WAIT, wait_mutex);
IS_IN(WAIT, parked_fn);
IS_IN(WAIT, wait_key);
IS_IN(WAIT, wait_arg);
IS_IN(WAIT, wait_seq);
IS_IN(WAIT, wait_queued);
IS_IN(WAIT, wait_holds_bucket);
IS_IN(WAIT, wait_kind);
IS_IN(WAIT, wait_result);
IS_IN(WAIT, wait_is_lifo);
IS_IN(WAIT, wait_takes);
IS_IN(WAIT, wait_can_interrupt);
IS_IN(WAIT, call_end);

IS_IN(LIMIT, parked_arg);
IS_IN(LIMIT, wait_since_ns);
IS_IN(LIMIT, wait_deadline_ns);

_Static_assert(LINE_OF(posix) == POSIX && offsetof(struct thread, posix) % LINE == 0, "posix");
_Static_assert(_Alignof(struct thread) == LINE, "what is in one line is so in memory");
_Static_assert(sizeof(struct thread) == 13 * LINE, "as large as doc/design.md says");

int main(void)
{
	CHECK((uintptr_t)thread_self() % LINE == 0);
	return 0;
}
