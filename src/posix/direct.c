// SPDX-License-Identifier: BSD-2-Clause
#include "direct.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "../base/atomic.h"

enum { GO_BUILD_ID = 4, CALLERS = 64, NOTE_ALIGN = 4 };

/* Places that are known to be none, so that a thread costs no search. */
static APTR(const char) plain_callers[CALLERS];
static struct au32 has_come;

static size_t padded(size_t n)
{
	return (n + NOTE_ALIGN - 1) & ~(size_t)(NOTE_ALIGN - 1);
}

static bool is_go_note(const char *at, const char *end)
{
	while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		const char *name = at + sizeof(*note);

		if (note->n_type == GO_BUILD_ID && note->n_namesz == sizeof("Go\0") &&
		    !memcmp(name, "Go\0", sizeof("Go\0")))
			return true;
		at = name + padded(note->n_namesz) + padded(note->n_descsz);
	}
	return false;
}

static bool is_direct(const struct dl_phdr_info *object)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &object->dlpi_phdr[i];
		const char *at = (const char *)(object->dlpi_addr + p->p_vaddr);

		if (p->p_type == PT_NOTE && p->p_align <= NOTE_ALIGN && is_go_note(at, at + p->p_memsz))
			return true;
	}
	return false;
}

static int look_at(struct dl_phdr_info *object, size_t bytes, void *arg)
{
	(void)bytes;
	(void)arg;
	return is_direct(object);
}

bool direct_is_loaded(void)
{
	return dl_iterate_phdr(look_at, NULL);
}

struct search {
	uintptr_t address;
	struct dl_phdr_info *ret_object;
};

static int look_for(struct dl_phdr_info *object, size_t bytes, void *arg)
{
	struct search *s = arg;

	(void)bytes;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &object->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && s->address - (object->dlpi_addr + p->p_vaddr) < p->p_memsz) {
			*s->ret_object = *object;
			return 1;
		}
	}
	return 0;
}

bool object_of(const void *address, struct dl_phdr_info *ret_object)
{
	return dl_iterate_phdr(look_for, &(struct search){ (uintptr_t)address, ret_object });
}

bool direct_has_come(void)
{
	return load_relaxed(&has_come);		/* relaxed: it stays so */
}

bool direct_makes(const void *caller)
{
	struct dl_phdr_info object;
	unsigned place = (unsigned)((uintptr_t)caller >> 2) % CALLERS;

	/* relaxed: what was found there stays so, unless another object takes its place */
	if (direct_has_come() || load_relaxed(&plain_callers[place]) == caller)
		return direct_has_come();
	if (object_of(caller, &object) && is_direct(&object))
		store_relaxed(&has_come, 1);
	else
		store_relaxed(&plain_callers[place], caller);
	return direct_has_come();
}
