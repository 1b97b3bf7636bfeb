// SPDX-License-Identifier: BSD-2-Clause
/*
 * Once: 0 not yet; ONCE_RUNNING, somebody runs the routine, in the process that its higher bits
 * name; with ONCE_WAITED, and others wait; ONCE_DONE.  A routine that was running when the process
 * forked does not run in the child: there it starts again.
 * Order:
 *   once.done  runner: run the routine, xchg ONCE_DONE -> others: acquire the word, return
 */
#ifndef UPCALL_ONCE_H
#define UPCALL_ONCE_H

#include "lot.h"

enum { ONCE_RUNNING = 1, ONCE_DONE = 2, ONCE_WAITED = 4, ONCE_FORK = 8 };

#pragma GCC visibility push(hidden)
/* False: it is done.  True: the caller runs the routine and then calls once_end. */
bool once_begin(struct au32 *word);
/* is_done false: the routine was left by an exception or a cancellation; another will run it. */
void once_end(struct au32 *word, bool is_done);
#pragma GCC visibility pop

#endif
