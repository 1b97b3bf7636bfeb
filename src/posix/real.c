// SPDX-License-Identifier: BSD-2-Clause
#include "real.h"

#include <dlfcn.h>
#include <string.h>

#include "../base/print.h"
#include "../thread/inside.h"
#include "posix.h"

/* By the linker: all that REAL names. */
extern struct real __start_upcall_real[] __attribute__((visibility("hidden")));
extern struct real __stop_upcall_real[] __attribute__((visibility("hidden")));

/* What also has an older version, which dlsym prefers before glibc 2.36. */
static const struct { const char *name, *version; } newer[] = {
	{ "posix_spawn", "GLIBC_2.15" },
	{ "posix_spawnp", "GLIBC_2.15" },
	{ "pthread_cond_broadcast", "GLIBC_2.3.2" },
	{ "pthread_cond_destroy", "GLIBC_2.3.2" },
	{ "pthread_cond_init", "GLIBC_2.3.2" },
	{ "pthread_cond_signal", "GLIBC_2.3.2" },
	{ "pthread_cond_timedwait", "GLIBC_2.3.2" },
	{ "pthread_cond_wait", "GLIBC_2.3.2" },
	{ "timer_create", "GLIBC_2.3.3" },
	{ "timer_delete", "GLIBC_2.3.3" },
	{ "timer_getoverrun", "GLIBC_2.3.3" },
	{ "timer_gettime", "GLIBC_2.3.3" },
	{ "timer_settime", "GLIBC_2.3.3" },
};

static void *find_in_libc(const char *name)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *fn = libc ? dlsym(libc, name) : NULL;

	if (libc)
		dlclose(libc);
	return fn;
}

void *real_find_optional(const char *name)
{
	void *fn = NULL;

	/* There the first dlsym makes a key, by our function, which loads the runtime, which calls dlsym. */
	if (inside_has_libpthread())
		posix_is_bound();
	if (name[0] == '=')
		return find_in_libc(name + 1);
	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]) && !fn; i++)
		if (!strcmp(name, newer[i].name))
			fn = dlvsym(RTLD_NEXT, name, newer[i].version);
	return fn ? fn : dlsym(RTLD_NEXT, name);
}

void *real_find(const char *name, void *otherwise)
{
	void *fn = real_find_optional(name);

	if (!fn)
		fn = otherwise;
	if (!fn)
		panic("the C library has no %s", name);
	return fn;
}

static void look_up(struct real *r)
{
	if (!atomic_load_explicit(&r->found, memory_order_relaxed))	/* everybody finds the same */
		atomic_store_explicit(&r->found, real_find_optional(r->name), memory_order_relaxed);
}

static struct au32 all_are_found;

void real_start(void)
{
	if (load_acquire(&all_are_found))
		return;
	for (struct real *r = __start_upcall_real; r < __stop_upcall_real; r++)
		look_up(r);
	store_release(&all_are_found, 1);
}

static bool is_childs(const char *name)
{
	static const char *const names[] = { "_exit", "close", "dup2", "execve", "execvpe", "sigaction", "sigprocmask" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

void real_before_fork(void)
{
	static struct au32 is_done;

	if (likely(load_relaxed(&is_done)) || load_acquire(&all_are_found))
		return;
	for (struct real *r = __start_upcall_real; r < __stop_upcall_real; r++)
		if (is_childs(r->name))
			look_up(r);
	store_relaxed(&is_done, 1);		/* by another thread once more: it finds the same */
}
