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
	char source[16];	/* who tells of blocked kernel threads: "sched_ext", "bpf", "perf", "monitor"; "" before */
};

/*
 * Pseudo-registers: what a program may read of its own processors at any moment, without a call.  Each is
 * written by the runtime alone; a value may be old by the time that it is used, but never half written.
 *
 * The functions below follow a thread's description by offsets that the library tells, so they are right
 * for every version of it.  Vproc and processor are -1 before a second thread has been created, and
 * for threads that the kernel schedules; the number of a thread is 0 on kernel threads that the library does not know.
 */
#define UPCALL_REGISTERS_VERSION 1

struct upcall_registers {
	uint32_t version;		/* UPCALL_REGISTERS_VERSION; grows when the meaning of a field changes */
	uint32_t bytes;			/* sizeof(struct upcall_registers) in the library */
	uint32_t vprocs_given;		/* that may run threads now, by affinity and quota */
	uint32_t vprocs_wanted;		/* that it has work for, by the last look; 0 while all sleep */
	/* Offsets: in a thread's description, an activation's, a vproc's. */
	uint16_t thread_id, thread_activation, activation_vproc, vproc_id, vproc_cpu;
	uint16_t vproc_taken, vproc_warned;	/* when it is taken away; where the kernel says when its turn ends */
	uint16_t spare;
};

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"	/* a function has the name of a structure */
#pragma GCC diagnostic ignored "-Wold-style-cast"
extern "C" {
#endif
/* Where they are, for the whole life of the process. */
const volatile struct upcall_registers *upcall_registers(void);
/* The calling thread's description, or NULL. */
extern __thread const volatile char *upcall_thread __attribute__((tls_model("initial-exec")));
#ifdef __cplusplus
}
#endif

#define UPCALL_AT(type, base, field) (*(type const volatile *)((base) + registers->field))

/* The number of the calling thread: 1 is main. */
static inline uint32_t upcall_register_thread(const volatile struct upcall_registers *registers)
{
	return upcall_thread ? UPCALL_AT(uint32_t, upcall_thread, thread_id) : 0;
}

/* For those below only. */
static inline const volatile char *upcall_vproc_line_(const volatile struct upcall_registers *registers)
{
	const volatile char *activation =
		upcall_thread ? UPCALL_AT(const volatile char *, upcall_thread, thread_activation) : 0;

	return activation ? UPCALL_AT(const volatile char *, activation, activation_vproc) : 0;
}

/* The vproc that the calling thread runs on, or ran on last; -1: none. */
static inline int32_t upcall_register_vproc(const volatile struct upcall_registers *registers)
{
	const volatile char *vproc = upcall_vproc_line_(registers);

	return vproc ? (int32_t)UPCALL_AT(uint32_t, vproc, vproc_id) : -1;
}

/* The processor of this vproc, when it last began to work; -1: none, or the kernel chooses. */
static inline int32_t upcall_register_processor(const volatile struct upcall_registers *registers)
{
	const volatile char *vproc = upcall_vproc_line_(registers);

	return vproc ? UPCALL_AT(int32_t, vproc, vproc_cpu) : -1;
}

/*
 * When this vproc is to be taken away, or its turn on the processor to end, on CLOCK_MONOTONIC in nanoseconds, as
 * the last warning said; 0: there is none.
 */
static inline uint64_t upcall_register_warning(const volatile struct upcall_registers *registers)
{
	const volatile char *vproc = upcall_vproc_line_(registers);
	uint64_t taken = vproc && registers->vproc_taken ? UPCALL_AT(uint64_t, vproc, vproc_taken) : 0;
	const volatile uint64_t *turn =
		vproc && registers->vproc_warned ? UPCALL_AT(const volatile uint64_t *, vproc, vproc_warned) : 0;

	return taken || !turn ? taken : *turn;
}
#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#endif
