// SPDX-License-Identifier: BSD-2-Clause
/* What `upcall top` shows, as lines of text: on a terminal and in batch mode. */
#ifndef UPCALL_TOP_VIEW_H
#define UPCALL_TOP_VIEW_H

#include "../look/describe.h"
#include "sample.h"

enum style { STYLE_PLAIN, STYLE_TITLE, STYLE_HEAD, STYLE_CURSOR, STYLE_BUSY };
enum pane { PANE_PROCESSES, PANE_VPROCS, PANE_THREADS, PANES };

struct view_line {
	struct line text;
	enum style style;
};

struct view {
	/* How it is to look. */
	int width, height;		/* height 0: no limit */
	int thread_rows;		/* where height is 0: so many of each process */
	enum pane pane;			/* which one has the keys, and the room */
	size_t cursor[PANES];		/* which row of it */
	int order;			/* see view_find_order */
	bool is_reversed;
	char filter[64];		/* in a thread's name, or its state or kind of wait; "": all */
	pid_t pid;			/* whose vprocs and threads are shown */
	double delay;

	/* What came out. */
	struct view_line *lines;
	size_t n, room;
	uint32_t thread;		/* the one under the cursor, or 0 */
	size_t rows[PANES];		/* how many there are in each */
};

/* Which order has this name or key; -1: none. */
int view_find_order(const char *name);
int view_find_order_key(int key);

void view_begin(struct view *v);
void view_title(struct view *v, const struct top *top);
/* The list of processes, and the one with pid v->pid in full. */
void view_screen(struct view *v, struct top *top);
/* Everything, one process after the other. */
void view_batch(struct view *v, struct top *top);
/* The stack of one thread. */
void view_stack(struct view *v, pid_t pid, uint32_t thread);
void view_help(struct view *v);
/* The `most` first threads of a process, as ordered and filtered; the caller frees the array. */
size_t view_threads(struct view *v, struct top_process *p, size_t most, struct top_thread ***ret);

#endif
