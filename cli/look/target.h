// SPDX-License-Identifier: BSD-2-Clause
/*
 * The program that is looked at: a live process, which is never stopped, or a core file.  Its
 * memory, what the library's page says of its structures, and the symbols of its files.
 *
 * It may be another user's, who tells lies: whatever is read there, offsets and counts above all, is
 * checked before it is used.  Once it is open, a field lies within its structure, and that is small.
 */
#ifndef UPCALL_LOOK_TARGET_H
#define UPCALL_LOOK_TARGET_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <upcall/page.h>

#include "maps.h"

enum { STRUCTURE_MAX = 1 << 17, VPROCS_MAX = 1024 };

struct segment {
	uint64_t address, bytes, offset;
};

struct symbols;

struct target {
	pid_t pid;			/* 0: a core file */
	int core_fd;
	Elf *core;
	struct segment *segments;	/* of a core file, by address */
	size_t nsegments;
	Dwfl *dwfl;
	struct maps maps;		/* as they were when it was opened */
	bool has_files;			/* anything at all is mapped */
	uint64_t page_address;
	struct upcall_page page;
	struct upcall_entry *entries;
	struct symbols *symbols;	/* found so far: symbol.c */
	char command[32];		/* the process's name */
	char problem[256];		/* why opening it failed, in one line */
};

/* Where a field is in its structure, as the target has it; bytes 0: it has none. */
struct field {
	uint32_t offset, bytes;
};

/* Both return false and fill in `problem`. */
bool target_open_pid(struct target *t, pid_t pid);
bool target_open_core(struct target *t, const char *core, const char *program);
void target_close(struct target *t);
/* The page as it is now: is it still the same program? */
bool target_page_again(const struct target *t, struct upcall_page *ret_page);

/* All of it, or false. */
bool target_read(const struct target *t, uint64_t address, void *buf, size_t bytes);
/*
 * `n` pieces of `bytes` each, from addresses[] to places[]; returns how many were read before one
 * could not be.  A system call for many of them.
 */
size_t target_read_many(const struct target *t, const uint64_t *addresses, char *const *places, size_t n,
			size_t bytes);
uint64_t target_read_word(const struct target *t, uint64_t address, unsigned bytes);

const struct upcall_entry *target_entry(const struct target *t, const char *name);
struct field target_field(const struct target *t, const char *name);
size_t target_size(const struct target *t, const char *structure);	/* 0: not known */
/* Of a UPCALL_VPROC_COUNTER: where it is in a vproc. */
struct field target_vproc_counter(const struct target *t, const char *name);
/* The vprocs: where the first one is, of how many bytes each; returns how many, 0 if that makes no sense. */
size_t target_vprocs(const struct target *t, uint64_t *ret_address, size_t *ret_bytes);
/* Value of a name of any kind, or `otherwise`. */
uint64_t target_value(const struct target *t, const char *name, uint64_t otherwise);
/* What the variable of this name holds, 0 if there is none. */
uint64_t target_global(const struct target *t, const char *name);
/* The name that follows `prefix` for a value: of ("wait.", 1), "mutex"; NULL if none. */
const char *target_name_of(const struct target *t, const char *prefix, uint64_t value);
uint64_t field_get(struct field f, const void *copy);

/*
 * "name", "name+0x10", or "" where no symbol covers the address; the text lasts until target_close.
 * Functions and data alike.
 */
const char *target_symbol(struct target *t, uint64_t address);
void target_forget_symbols(struct target *t);	/* target_close does */
/* Does the process have the library in it?  False also where one may not look. */
bool pid_has_library(pid_t pid);
/*
 * Calls fn with each note of this type in the core file until it returns true; false if it never did.
 */
bool target_notes(const struct target *t, uint32_t type, bool (*fn)(const void *note, size_t bytes, void *arg),
		  void *arg);

#endif
