// SPDX-License-Identifier: BSD-2-Clause
/*
 * What every file of posix/ needs: the exported name and the libc function behind it.
 *
 * REAL(read) is libc's (or the next library's) read, looked up once.  Not inside the runtime.
 */
#ifndef UPCALL_POSIX_REAL_H
#define UPCALL_POSIX_REAL_H

#include "../base/atomic.h"

#define EXPORT __attribute__((visibility("default")))

/* dlsym(RTLD_NEXT), never NULL: panics where libc lacks what we were asked for. */
__attribute__((visibility("hidden"))) void *real_find(const char *name);
/* The same, or NULL. */
__attribute__((visibility("hidden"))) void *real_find_optional(const char *name);

#define REAL(name) \
	({ \
		static _Atomic(__typeof__(&name)) found_; \
		__typeof__(&name) fn_ = atomic_load_explicit(&found_, memory_order_relaxed); \
		if (unlikely(!fn_)) { \
			fn_ = (__typeof__(&name))real_find(#name); \
			atomic_store_explicit(&found_, fn_, memory_order_relaxed); \
		} \
		fn_; \
	})

#endif
