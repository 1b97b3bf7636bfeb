// SPDX-License-Identifier: BSD-2-Clause
/*
 * `upcall bench` in four parts: bench.c has the list of benchmarks and the order of the runs; run.c
 * runs one program once and reads what it measured (limit.c: with how much memory); report.c keeps the figures and prints them;
 * machine.c says what they were measured on, and how much of it others used meanwhile.
 *
 * A *system* is what threads are made of, or what stands beside them.  The runs of the systems are
 * interleaved (A B A B), and a ratio is the median of the ratios of neighbouring runs: what slows
 * the machine for a while slows both.
 */
#ifndef UPCALL_CLI_BENCH_H
#define UPCALL_CLI_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* In the order of the table: each is compared with those above it. */
enum { PEERS_MAX = 16 };
enum system {
	PROCESS, HAND_OFF, GLIBC, EPOLL, POOL, PEERS, UPCALL_NONE = PEERS + PEERS_MAX, UPCALL, UPCALL_MONITOR, UPCALL_PERF,
	UPCALL_BPF, UPCALL_SCHED_EXT, NATIVE, UPCALL_SCX, SYSTEMS
};
extern const char *system_names[SYSTEMS];	/* of peers: see peers_find */

/* In the place of a system's name: the best of the peers that took part. */
#define BEST_PEER "peers"

enum { NAME_MAX_BYTES = 128, CASE_MAX_BYTES = 96, UNIT_MAX_BYTES = 24, NOTE_MAX_BYTES = 200 };

/* One call of a program; see bench/bench.h for what it is told and what it answers. */
struct call {
	const char *program;	/* a file of the folder of benchmarks */
	const char *name;	/* of the case */
	enum system system;
	bool is_script;		/* puts its servers under Upcall by itself */
	bool has_scope;		/* PTHREAD_SCOPE_SYSTEM is to count under Upcall */
	bool is_told;		/* a peer is told the program before the case, PROGRAM/CASE */
	int ncpus;		/* how many it may use at most, or 0 */
	double seconds;
	unsigned limit_s;	/* 0: it may take as long as it likes */
	bool stays_unbound;	/* threads that only block get no kernel threads of their own */
	size_t memory_bytes;	/* all it may have; 0: as much as it likes */
};

/* What a figure is to be at most, or at least. */
struct bar {
	double value;
	bool is_least;
	enum { OF_ITSELF, OF_RATIO, OF_DIFFERENCE } kind;	/* the figure, or what it is beside that of the system `of` */
	char of[NAME_MAX_BYTES];	/* or BEST_PEER; OF_ITSELF: "" */
};

/* Figures of a call, one at a time, and its remarks. */
struct listener {
	void (*figure)(void *arg, const char *metric, double value, const char *unit);
	void (*paper)(void *arg, const char *metric, double value, const char *unit, const char *whose);
	void (*bound)(void *arg, const char *metric, const char *unit, const struct bar *bar);
	void (*note)(void *arg, const char *text);
	void *arg;
};

enum outcome { MEASURED, SKIPPED, FAILED, INTERRUPTED };

/* The programs that stand for other thread systems, by a list of names and paths, or ends this one. */
void peers_find(const char *list);
unsigned peers_mask(void);
/* The peer of this name, if it was built: 0 or its bit. */
unsigned peers_add(const char *name);
const char *peer_path(enum system system);	/* or NULL */

/* A folder for the programs' files, made at the start and removed at the end. */
void run_init(void);
void run_fini(void);
const char *run_folder(void);		/* where the programs are */
enum outcome run_call(const struct call *call, const struct listener *listener);
/* The signal that asks this command to end, or 0. */
int run_interrupted(void);

/* A group of processes with so much memory; false where none can be made.  By the child: enters it. */
bool limit_make(size_t bytes);
bool limit_enter(void);
void limit_remove(void);

struct series;

/* The figures of these, made at the first one; metric: "-" for the only one; `nruns`: how many there may be. */
struct series *report_series(const char *bench, const char *of_case, const char *metric, enum system system,
			     const char *unit, unsigned nruns);
void report_add(struct series *s, unsigned run, double value);
/* What a paper has in place of this figure, in the same unit, and what it measured; once. */
void report_paper(struct series *s, double value, const char *whose);
/* What the figure is to be; once. */
void report_bound(struct series *s, const struct bar *bar);
/* A remark, once; `of_case` and `system` (one of system_names, or NULL) say what it is about. */
void report_note(const char *bench, const char *of_case, const char *system, const char *text);
/*
 * Says which multiples are below 1 that a paper has above: what was the faster there is the slower
 * here.  Returns how many.
 */
unsigned report_reversed(void);
/* Remarks on where a thread got so much less than its share of a benchmark that it was as good as shut out. */
void report_unfair(const char *bench);
void report_table(const char *bench, const char *summary);
void report_json(void);

struct figure {
	const char *bench, *name, *system, *unit;
	int index;		/* of the system */
	double median, min, max;
};
void report_each(void (*fn)(void *arg, const struct figure *f), void *arg);
void chart_write(const char *path);

void machine_begin(void);
void machine_end(void);
void machine_line(void);	/* on standard output, for people */
void machine_json(void);	/* an object */

#endif
