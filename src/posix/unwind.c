// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cleanups of ours when a cancellation or an exception passes.  The unwinder is libgcc_s, which
 * libc or the program has loaded by then; linking it would make every program load it at start.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/print.h"
#include "posix.h"

typedef int personality_fn(int version, int actions, uint64_t class, void *exception, void *context);

#pragma GCC visibility push(hidden)
void (*unwind_resume)(void *exception) __attribute__((used));
int unwind_personality(int version, int actions, uint64_t class, void *exception, void *context)
	__attribute__((used));
#pragma GCC visibility pop

static personality_fn *real_personality;

/* False: it is not loaded. */
static bool find(void)
{
	void *lib = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
	personality_fn *fn = lib ? (personality_fn *)dlsym(lib, "__gcc_personality_v0") : NULL;

	if (lib)
		unwind_resume = (void (*)(void *))dlsym(lib, "_Unwind_Resume");
	if (!fn || !unwind_resume)
		return false;
	__atomic_store_n(&real_personality, fn, __ATOMIC_RELEASE);
	return true;
}

static bool is_found(void)
{
	return __atomic_load_n(&real_personality, __ATOMIC_ACQUIRE) != NULL;
}

void unwind_prepare(void)
{
	if (unlikely(!is_found()))
		find();
}

int unwind_personality(int version, int actions, uint64_t class, void *exception, void *context)
{
	if (!is_found() && !find())
		panic("unwinding without libgcc_s.so.1");
	return real_personality(version, actions, class, exception, context);
}
