// SPDX-License-Identifier: BSD-2-Clause
/*
 * What every file of posix/ needs: the exported name and the libc function behind it.
 *
 * REAL(read) is libc's (or the next library's) read, looked up once.  Not inside the runtime.
 * TIMED(ppoll) takes the kernel's time: it is libc's where another library replaces clocks.
 *
 * Each place that names one keeps what was found, in a section of its own.  All are looked up when threads
 * start: dlsym takes the loader's lock, whose holder may wait for the thread that calls (a constructor of a
 * library that is being loaded), and before glibc 2.34 it calls malloc, which a signal handler must not.
 */
#ifndef UPCALL_POSIX_REAL_H
#define UPCALL_POSIX_REAL_H

#include "../base/atomic.h"
#include "../base/clock.h"

#define EXPORT __attribute__((visibility("default")))

/* dlsym(RTLD_NEXT), of "=NAME" libc's own, or `otherwise`; never NULL: panics where libc lacks what we were asked for. */
__attribute__((visibility("hidden"))) COLD void *real_find(const char *name, void *otherwise);
/* The same, or NULL. */
__attribute__((visibility("hidden"))) COLD void *real_find_optional(const char *name);

struct real {
	const char *name;
	_Atomic(void *) found;
};

/* When threads start. */
__attribute__((visibility("hidden"))) void real_start(void);
/* Before a fork: what children call first, which each of them would look up else. */
__attribute__((visibility("hidden"))) void real_before_fork(void);

#define REAL_AS_OR(name, key, otherwise) \
	({ \
		static struct real real_ __attribute__((section("upcall_real"), used)) = { key, NULL }; \
		void *fn_ = atomic_load_explicit(&real_.found, memory_order_relaxed); \
		if (unlikely(!fn_)) { \
			fn_ = real_find(key, (void *)(otherwise)); \
			atomic_store_explicit(&real_.found, fn_, memory_order_relaxed); \
		} \
		(__typeof__(&name))fn_; \
	})

/* What older releases of libc lack is ours there. */
#define REAL_OR(name, otherwise) REAL_AS_OR(name, #name, otherwise)
#define TIMED_OR(name, otherwise) \
	(unlikely(clock_is_replaced) ? REAL_AS_OR(name, "=" #name, otherwise) : REAL_OR(name, otherwise))

#define REAL_AS(name, key) REAL_AS_OR(name, key, NULL)
#define REAL(name) REAL_OR(name, NULL)
#define TIMED(name) TIMED_OR(name, NULL)

#endif
