// SPDX-License-Identifier: BSD-2-Clause
/* The words for a thread, and for what it waits for: ps and top say the same. */
#ifndef UPCALL_LOOK_DESCRIBE_H
#define UPCALL_LOOK_DESCRIBE_H

#include "unwind.h"
#include "wait.h"

/* A text that grows, printable whatever names are put in; what does not fit is left away. */
struct line {
	char text[1024];	/* always ends with a zero byte once it was cleared */
	size_t len;
};

void line_clear(struct line *l);
/* Padded on the left, or on the right where width is negative. */
void line_text(struct line *l, const char *text, int width);
void line_number(struct line *l, uint64_t n, int width);
void line_hex(struct line *l, uint64_t n);
void line_format(struct line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* " 0x7f12 (queue_lock)" */
void describe_object(struct line *l, const struct wait_info *w);
/* ", held by 7 writer" */
void describe_owner(struct line *l, struct snapshot *s, const struct wait_info *w);
/* "mutex 0x4010 (queue_lock), held by 7 writer, 3.2s left" */
void describe_wait(struct line *l, struct snapshot *s, const struct wait_info *w);
/* What is at a frame's address: its caller stands behind its call, perhaps in the next function. */
struct place {
	const char *symbol, *file, *source;
	int line;
};
void find_place(struct target *t, const struct frames *f, size_t frame, struct place *ret_place);
/* "#3  0x00007f12 main at main.c:12" */
void describe_frame(struct line *l, struct target *t, const struct frames *f, size_t frame);
/* Which vproc and kernel thread run it: "vp1:4711", "4711", "-". */
void describe_place(struct line *l, const struct snapshot *s, const struct look_thread *t,
		    const struct wait_info *w, int width);
/* The vproc that runs it now, or NULL. */
const struct look_vproc *vproc_of(const struct snapshot *s, const struct look_thread *t);
/* What a kernel thread of the process is to the runtime; NULL: a thread of the list carries it. */
const char *role_of(const struct snapshot *s, int tid);
/* UINT64_MAX: not known. */
uint64_t stack_used(const struct look_thread *t);

#endif
