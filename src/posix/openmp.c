// SPDX-License-Identifier: BSD-2-Clause
/*
 * libgomp (OpenMP of gcc) waits and wakes by futex calls in its own text, which no library can put itself
 * before.  Each would block a kernel thread: more threads than processors cost more than on glibc then.  So the
 * places are made to jump to us when the library is met for the first time, in its constructor,
 * before anybody can wait in it; from there on they are like syscall(SYS_futex).  Where the code is not
 * what we know, or may not be written, they stay calls of the kernel's.
 */
#include "openmp.h"

#include <link.h>
#include <string.h>

#include "../arch/arch.h"
#include "../sys/probe.h"
#include "direct.h"
#include "posix.h"

static bool is_left_alone;

void openmp_configure(const char *disabled)
{
	is_left_alone = probe_is_disabled(disabled, "openmp");
}

static bool is_libgomp(const char *path)
{
	static const char name[] = "libgomp.so.";
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, name, sizeof(name) - 1);
}

void openmp_meet(const void *caller)
{
	struct dl_phdr_info object;

	/* The name first: before glibc 2.34 the first key is libdl's, of the very dlsym that posix_is_bound may call. */
	if (!object_of(caller, &object) || !is_libgomp(object.dlpi_name) || posix_is_bound() || is_left_alone)
		return;
	for (int i = 0; i < object.dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &object.dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X)
			arch_catch_inline_calls((void *)(object.dlpi_addr + p->p_vaddr), p->p_memsz);
	}
}
