/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What another process must know to walk the runtime's structures: the symbol `upcall_page` of
 * libupcall-pthread.so.
 *
 * A tool must not be compiled against the structures: it may be older or newer than the library it
 * looks at, or read a core file of last year's.  So nothing of their layout is here, only a table
 * of names with numbers: "thread.state" is an offset, "threads.all" an address, "state.parked" the
 * value that this state has.  A name that is missing is something that this build of the library
 * does not have; a name that the reader does not know is none of his business.  The header itself
 * changes only with `version`.
 *
 * The table is data like any other: it is found in core files too, and costs nothing to keep.
 */
#ifndef UPCALL_PAGE_H
#define UPCALL_PAGE_H

#include <stdint.h>

#define UPCALL_PAGE_MAGIC UINT64_C(0x656761702d637075)	/* "upc-page" in memory */
#define UPCALL_PAGE_VERSION 1

enum upcall_entry_kind {
	UPCALL_SIZE = 1,	/* value: sizeof a structure */
	UPCALL_FIELD,		/* value: offset in the structure before the dot; bytes: its size */
	UPCALL_GLOBAL,		/* value: address of a variable; bytes: its size */
	UPCALL_VALUE,		/* value: what the name stands for */
	UPCALL_COUNTER,		/* value: address of a number that only grows */
	UPCALL_GAUGE,		/* value: address of a number */
	UPCALL_VPROC_COUNTER,	/* value: offset in struct vproc; the sum over all vprocs is meant */
};

struct upcall_entry {
	char name[40];		/* one that ends with a dot goes on with the page's `source` */
	uint64_t value;
	uint16_t kind;		/* enum upcall_entry_kind */
	uint16_t bytes;
	int32_t bias;		/* to be added to a counter or gauge */
};

struct upcall_page {
	uint64_t magic;
	uint32_t version;
	uint32_t page_bytes;	/* sizeof(struct upcall_page) in the library */
	uint32_t entry_bytes;
	uint32_t nentries;
	uint64_t entries;	/* address of the table */
	char source[16];	/* who tells of blocked kernel threads: "perf", "monitor", "" before */
};

#endif
