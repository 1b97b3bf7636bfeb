// SPDX-License-Identifier: BSD-2-Clause
#include "inside.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../arch/arch.h"
#include "../sys/sys.h"

enum { COMPARED = 4096 };

/* The library's file, mapped as it is on the disk, for good, and where the library itself was loaded. */
static struct library {
	const char *file;
	size_t bytes;
	ElfW(Addr) base;
} libpthread;

bool inside_has_libpthread(void)
{
	return strverscmp(gnu_get_libc_version(), "2.34") < 0;
}

/* Like all of the runtime's own, by bare system calls: libc's may be ours by now. */
static void map_file(struct library *l, const char *path)
{
	int fd = (int)arch_syscall3(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0);
	struct stat st;

	if (fd < 0)
		return;
	if (arch_syscall2(SYS_fstat, fd, (long)&st) == 0 && st.st_size >= COMPARED) {
		long at = arch_syscall6(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		l->bytes = (size_t)st.st_size;
		l->file = at > 0 || at < -4095 ? (const char *)at : NULL;
	}
	arch_syscall1(SYS_close, fd);
}

static int open_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct library *l = arg;

	(void)size;
	if (!info->dlpi_name || !strstr(info->dlpi_name, "/libpthread.so."))
		return 0;
	l->base = info->dlpi_addr;
	map_file(l, info->dlpi_name);
	return 1;
}

/* A file that was replaced since it was loaded is another one. */
static const ElfW(Shdr) *sections(const struct library *l, unsigned *ret_n)
{
	const ElfW(Ehdr) *eh = (const void *)l->file;

	if (memcmp(l->file, (const void *)l->base, COMPARED) || eh->e_shentsize != sizeof(ElfW(Shdr)) ||
	    eh->e_shoff + (size_t)eh->e_shnum * sizeof(ElfW(Shdr)) > l->bytes)
		return NULL;
	*ret_n = eh->e_shnum;
	return (const void *)(l->file + eh->e_shoff);
}

static void *look_up(const struct library *l, const char *name)
{
	unsigned n = 0;
	const ElfW(Shdr) *section = sections(l, &n), *table = NULL;

	for (unsigned i = 0; section && i < n; i++)
		if (section[i].sh_type == SHT_SYMTAB && section[i].sh_link < n)
			table = &section[i];
	if (!table)
		return NULL;			/* stripped */
	const ElfW(Sym) *symbol = (const void *)(l->file + table->sh_offset);
	const char *strings = l->file + section[table->sh_link].sh_offset;

	for (size_t i = 0; i < table->sh_size / sizeof(*symbol); i++)
		if (symbol[i].st_shndx != SHN_UNDEF && symbol[i].st_shndx < SHN_LORESERVE &&
		    !strcmp(strings + symbol[i].st_name, name))
			return (void *)(l->base + symbol[i].st_value);
	return NULL;
}

void *inside_libpthread(const char *name)
{
	if (!inside_has_libpthread())
		return NULL;
	if (!libpthread.file)
		dl_iterate_phdr(open_library, &libpthread);
	return libpthread.file ? look_up(&libpthread, name) : NULL;
}

void *inside_find(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	return found ? found : inside_libpthread(name);
}
