// SPDX-License-Identifier: BSD-2-Clause
#include "direct.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "../base/atomic.h"
#include "real.h"

enum { GO_BUILD_ID = 4, CALLERS = 64, NOTE_ALIGN = 4 };

/* Places that are known to be none, so that a thread costs no search. */
static APTR(const char) plain_callers[CALLERS];

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

/* It opens /proc/TID/stat of its threads, and ends the process where there is none. */
static bool is_libdispatch(const char *path)
{
	static const char name[] = "libdispatch.so";
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, name, sizeof(name) - 1);
}

/* The program is qemu-user: its guest has numbers of threads from libc, and uses them by an instruction of qemu's own. */
static bool is_for_guests;

__attribute__((constructor(103))) static void load(void)
{
	is_for_guests = dlsym(RTLD_DEFAULT, "safe_syscall_base");
}

static bool is_direct(const struct dl_phdr_info *object)
{
	if (is_libdispatch(object->dlpi_name) || (is_for_guests && !*object->dlpi_name))
		return true;
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

static const void *dynamic_pointer(const struct dl_phdr_info *object, uintptr_t at)
{
	return (const void *)(at < object->dlpi_addr ? object->dlpi_addr + at : at);	/* ld.so has added it, or not */
}

struct import {
	const char *name;
	bool is_found;
};

static bool relocates(const ElfW(Rela) *rela, size_t bytes, const ElfW(Sym) *symbols, const char *names, const char *name)
{
	for (size_t i = 0; rela && i < bytes / sizeof(*rela); i++) {
		const ElfW(Sym) *s = &symbols[ELF64_R_SYM(rela[i].r_info)];

		if (s->st_shndx == SHN_UNDEF && !strcmp(names + s->st_name, name))
			return true;
	}
	return false;
}

/* The first object is the program. */
static int look_at_imports(struct dl_phdr_info *object, size_t bytes, void *arg)
{
	const ElfW(Dyn) *dynamic = NULL;
	const ElfW(Rela) *rela = NULL, *jumps = NULL;
	const ElfW(Sym) *symbols = NULL;
	size_t rela_bytes = 0, jump_bytes = 0, relative = 0;
	const char *names = NULL;
	struct import *import = arg;

	(void)bytes;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELA)
			rela = dynamic_pointer(object, d->d_un.d_ptr);
		else if (d->d_tag == DT_JMPREL)
			jumps = dynamic_pointer(object, d->d_un.d_ptr);
		else if (d->d_tag == DT_SYMTAB)
			symbols = dynamic_pointer(object, d->d_un.d_ptr);
		else if (d->d_tag == DT_STRTAB)
			names = dynamic_pointer(object, d->d_un.d_ptr);
		else if (d->d_tag == DT_RELASZ)
			rela_bytes = d->d_un.d_val;
		else if (d->d_tag == DT_RELACOUNT)
			relative = d->d_un.d_val;	/* first come those that name nothing */
		else if (d->d_tag == DT_PLTRELSZ)
			jump_bytes = d->d_un.d_val;
	}
	import->is_found = symbols && names && (relocates(rela ? rela + relative : NULL, rela_bytes - relative * sizeof(*rela), symbols, names, import->name) ||
						relocates(jumps, jump_bytes, symbols, names, import->name));
	return 1;
}

bool direct_imports(const char *name)
{
	struct import import = { name, false };

	dl_iterate_phdr(look_at_imports, &import);
	return import.is_found;
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

#ifdef DLFO_STRUCT_HAS_EH_DBASE		/* glibc 2.35 */
/*
 * It takes no lock: a child that was forked while another thread was in dlopen has the loader's for ever.
 * The object's headers are where its mapping begins.
 */
static bool find_object(const void *address, struct dl_phdr_info *ret_object)
{
	static APTR(void) cached;
	__typeof__(&_dl_find_object) find = (__typeof__(find))load_relaxed(&cached);	/* relaxed: code */
	struct dl_find_object found;

	if (!find) {
		find = (__typeof__(find))real_find_optional("_dl_find_object");
		store_relaxed(&cached, (void *)find);
	}
	if (!find || find((void *)(uintptr_t)address, &found))
		return false;
	const ElfW(Ehdr) *header = found.dlfo_map_start;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	*ret_object = (struct dl_phdr_info){
		.dlpi_addr = found.dlfo_link_map->l_addr,
		.dlpi_name = found.dlfo_link_map->l_name,
		.dlpi_phdr = (const void *)((const char *)header + header->e_phoff),
		.dlpi_phnum = header->e_phnum,
	};
	return true;
}
#else
static bool find_object(const void *address, struct dl_phdr_info *ret_object)
{
	(void)address;
	(void)ret_object;
	return false;
}
#endif

bool object_of(const void *address, struct dl_phdr_info *ret_object)
{
	return find_object(address, ret_object) ||
	       dl_iterate_phdr(look_for, &(struct search){ (uintptr_t)address, ret_object });
}

bool direct_makes(const void *caller)
{
	struct dl_phdr_info object;
	unsigned place = (unsigned)((uintptr_t)caller >> 2) % CALLERS;

	/* relaxed: what was found there stays so, unless another object takes its place */
	if (likely(load_relaxed(&plain_callers[place]) == caller))
		return false;
	if (object_of(caller, &object) && is_direct(&object))
		return true;
	store_relaxed(&plain_callers[place], caller);
	return false;
}
