// SPDX-License-Identifier: BSD-2-Clause
/*
 * Priorities that those who wait for a mutex lend to its owner, where the policy minds priorities.
 *
 * A waiter lends to one owner at most, and is in that one's list.  A thread's priority in force is the
 * highest of its own and of those in force of its lenders; a change goes on to the thread that it lends to
 * itself, and so along a chain of owners.  Nothing is kept in the mutex but who owns it.
 *
 * Who lends: whoever is queued for the mutex.  It lends when it queues; and when an owner, having written
 * its name, finds the word marked, all that are queued lend to it.  So every waiter of a marked word
 * lends to its owner, but while the mutex changes hands: who is woken then is the highest, and takes
 * it or queues again.
 * Order:
 *   inherit.owner  owner: write its name (seq_cst), read the word; waiter: mark the word, read the name.
 *                  An owner that leaves takes its name away before it drops the word, and then, under
 *                  the lock of all loans, gives back what was lent for that word: a waiter reads the
 *                  name under that lock too.
 */
#ifndef UPCALL_INHERIT_H
#define UPCALL_INHERIT_H

#include "lot.h"

struct owner { _Atomic(struct thread *) v; };

#pragma GCC visibility push(hidden)
/* All inside the runtime.  me, which is about to be queued for word, lends to whoever owner names. */
void inherit_lend(struct thread *me, const struct au32 *word, const struct owner *owner);
/* b is the bucket of word, locked: all that wait for word lend to whoever owner names. */
void inherit_adopt(struct bucket *b, const struct au32 *word, const struct owner *owner);
/* me waits no more. */
void inherit_end(struct thread *me);
/* t owns word no more.  True if that lowered its priority: sched_reconsider when it is woken that is to be. */
bool inherit_return(struct thread *t, const struct au32 *word);
/* t's own priority is to be this. */
void inherit_set_own(struct thread *t, int priority);
void inherit_fork_child(struct thread *me);
#pragma GCC visibility pop

#endif
