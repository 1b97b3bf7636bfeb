// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cleanups of ours when a cancellation or an exception passes.  The unwinder is libgcc_s, which
 * libc or the program has loaded by then; linking it would make every program load it at start.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/print.h"

typedef int personality_fn(int version, int actions, uint64_t class, void *exception, void *context);

#pragma GCC visibility push(hidden)
void (*unwind_resume)(void *exception) __attribute__((used));
int unwind_personality(int version, int actions, uint64_t class, void *exception, void *context)
	__attribute__((used));
#pragma GCC visibility pop

static personality_fn *real_personality;

static void find(void)
{
	void *lib = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
	personality_fn *fn = lib ? (personality_fn *)dlsym(lib, "__gcc_personality_v0") : NULL;

	if (lib)
		unwind_resume = (void (*)(void *))dlsym(lib, "_Unwind_Resume");
	if (!fn || !unwind_resume)
		panic("unwinding without libgcc_s.so.1");
	__atomic_store_n(&real_personality, fn, __ATOMIC_RELEASE);
}

int unwind_personality(int version, int actions, uint64_t class, void *exception, void *context)
{
	if (!__atomic_load_n(&real_personality, __ATOMIC_ACQUIRE))
		find();
	return real_personality(version, actions, class, exception, context);
}
