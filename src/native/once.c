// SPDX-License-Identifier: BSD-2-Clause
#include "../sync/once.h"

#include "bound.h"

ASSERT_FITS(struct au32, struct upcall_once);

void upcall_once_run(struct upcall_once *once, void (*fn)(void *), void *arg)
{
	struct au32 *word = (struct au32 *)once;

	if (likely(load_acquire(word) == ONCE_DONE) || !once_begin(word)) {	/* pairs: once.done */
		told_acquire(once);
		return;
	}
	fn(arg);
	told_release(once);
	once_end(word, true);
}
