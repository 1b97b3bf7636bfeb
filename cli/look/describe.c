// SPDX-License-Identifier: BSD-2-Clause
#include "describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "look.h"
#include "text.h"

void line_clear(struct line *l)
{
	l->len = 0;
	l->text[0] = 0;
}

static void put(struct line *l, const char *text, size_t n)
{
	size_t room = sizeof(l->text) - 1 - l->len;

	if (n > room)
		n = room;
	memcpy(l->text + l->len, text, n);
	l->text[l->len + n] = 0;
	text_clean(l->text + l->len);
	l->len += n;
}

static void pad(struct line *l, int n)
{
	static const char spaces[] = "                                        ";

	for (; n > 0; n -= (int)sizeof(spaces) - 1)
		put(l, spaces, n < (int)sizeof(spaces) - 1 ? (size_t)n : sizeof(spaces) - 1);
}

void line_text(struct line *l, const char *text, int width)
{
	int len = (int)strlen(text);

	pad(l, width - len);
	put(l, text, (size_t)len);
	pad(l, -width - len);
}

void line_number(struct line *l, uint64_t n, int width)
{
	char text[24], *at = text + sizeof(text) - 1;

	*at = 0;
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	line_text(l, at, width);
}

void line_hex(struct line *l, uint64_t n)
{
	char text[24], *at = text + sizeof(text);

	do
		*--at = "0123456789abcdef"[n % 16];
	while (n /= 16);
	*--at = 'x';
	*--at = '0';
	put(l, at, (size_t)(text + sizeof(text) - at));
}

void line_format(struct line *l, const char *fmt, ...)
{
	char text[sizeof(l->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put(l, text, strlen(text));
}

void describe_object(struct line *l, const struct wait_info *w)
{
	if (w->object) {
		put(l, " ", 1);
		line_hex(l, w->object);
	}
	if (*w->symbol) {
		put(l, " (", 2);
		line_text(l, w->symbol, 0);
		put(l, ")", 1);
	}
}

static void describe_fd(struct line *l, const struct snapshot *s, int fd)
{
	char name[256] = "";

	if (s->target->pid)
		kernel_fd_name(s->target->pid, fd, name, sizeof(name));
	line_format(l, *name ? " fd %d (%s)" : " fd %d", fd, name);
}

static void describe_fds(struct line *l, const struct snapshot *s, const struct wait_info *w)
{
	enum { NAMED = 4 };

	if (w->fd >= 0)
		describe_fd(l, s, w->fd);
	for (unsigned i = 0; i < w->nfds && i < NAMED; i++) {
		line_text(l, i ? "," : "", 0);
		describe_fd(l, s, w->fds[i]);
	}
	if (w->nfds > NAMED)
		line_format(l, ", %u more", w->nfds - NAMED);
}

void describe_owner(struct line *l, struct snapshot *s, const struct wait_info *w)
{
	const char *verb = !strcmp(w->kind, "join") ? " of" : ", held by";

	if (w->owner)
		line_format(l, "%s %u %s", verb, w->owner->id, thread_label(s, w->owner));
	else if (w->owner_tid)
		line_format(l, "%s kernel thread %d", verb, w->owner_tid);
	else if (w->readers)
		line_format(l, ", held by %u reader%s", w->readers, w->readers == 1 ? "" : "s");
}

/* " in parse+0x14, uninterruptible in folio_wait_bit" */
static void describe_block(struct line *l, struct snapshot *s, const struct wait_info *w)
{
	if (w->fault_pc) {
		const char *symbol = target_symbol(s->target, w->fault_pc);

		line_text(l, " in ", 0);
		if (*symbol)
			line_text(l, symbol, 0);
		else
			line_hex(l, w->fault_pc);
	}
	if (w->kernel.state == 'D')
		line_text(l, ", uninterruptible", 0);
	if (*w->kernel.function && (w->kernel.state == 'D' || w->fault_pc))
		line_format(l, " (%s)", w->kernel.function);
}

void describe_wait(struct line *l, struct snapshot *s, const struct wait_info *w)
{
	if (w->call)
		line_text(l, w->call, 0);
	else if (!w->kind && w->call_number > 0)
		line_format(l, "system call %ld", w->call_number);
	else if (w->kind)
		line_text(l, w->kind, 0);
	if (*w->direction)
		line_format(l, " %s", w->direction);
	describe_object(l, w);
	describe_fds(l, s, w);
	if (w->call || w->call_number > 0)
		describe_block(l, s, w);
	if (w->kind)
		describe_owner(l, s, w);
	if (w->left_ns != UINT64_MAX)
		line_format(l, ", %s left", time_text(w->left_ns));
}

/* Its debugging information, where it is installed, takes longer to unpack than all the rest of a look. */
static bool is_c_library(const char *file)
{
	return file && (!strncmp(file, "libc.so", 7) || !strncmp(file, "libc-2.", 7) || !strncmp(file, "ld-linux", 8));
}

void find_place(struct target *t, const struct frames *f, size_t frame, struct place *p)
{
	uint64_t at = f->is_exact[frame] ? f->pc[frame] : f->pc[frame] - 1;
	Dwfl_Module *mod = dwfl_addrmodule(t->dwfl, at);
	Dwfl_Line *line = NULL;

	*p = (struct place){ .symbol = target_symbol(t, at) };
	if (mod)
		p->file = dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	if (p->file && strrchr(p->file, '/'))
		p->file = strrchr(p->file, '/') + 1;
	if (mod && !is_c_library(p->file))
		line = dwfl_module_getsrc(mod, at);
	if (line)
		p->source = dwfl_lineinfo(line, NULL, &p->line, NULL, NULL, NULL);
}

void describe_frame(struct line *l, struct target *t, const struct frames *f, size_t frame)
{
	struct place p;

	find_place(t, f, frame, &p);
	/* The symbol's own offset is of no use beside a source line. */
	int length = *p.symbol ? (int)strcspn(p.symbol, p.source ? "+" : "") : 2;

	line_format(l, "#%-2zu 0x%012" PRIx64 " %.*s", frame, f->pc[frame], length, *p.symbol ? p.symbol : "??");
	if (p.source)
		line_format(l, " at %s:%d", p.source, p.line);
	else if (p.file)
		line_format(l, " (%s)", p.file);
}

const struct look_vproc *vproc_of(const struct snapshot *s, const struct look_thread *t)
{
	const struct look_activation *a = t->state == LOOK_RUNNING ? snapshot_activation(s, t->act) : NULL;

	return a && a->thread == t->address && a->owns ? snapshot_vproc(s, a->vproc) : NULL;
}

void describe_place(struct line *l, const struct snapshot *s, const struct look_thread *t,
		    const struct wait_info *w, int width)
{
	const struct look_vproc *vp = vproc_of(s, t);
	char on[32] = "-";

	if (vp)
		snprintf(on, sizeof(on), "vp%u:%d", vp->id, w->kernel_tid);
	else if (w->kernel_tid)
		snprintf(on, sizeof(on), "%d", w->kernel_tid);
	line_text(l, on, width);
}

const char *role_of(const struct snapshot *s, int tid)
{
	for (size_t i = 0; i < s->nactivations; i++) {
		const struct look_activation *a = &s->activations[i];

		if (a->tid != tid)
			continue;
		const struct look_thread *guest = snapshot_by_address(s, a->thread);

		return guest && guest->state == LOOK_BOUND ? NULL : a->owns ? "running" : a->is_lost ? "blocked"
												     : "spare";
	}
	if (tid == s->monitor_tid)
		return "monitor";
	if (tid == s->clerk_tid)
		return "clerk";
	const struct look_thread *t = snapshot_by_tid(s, kernel_tid_there(s->target->pid, tid));

	return t && t->state == LOOK_BOUND ? NULL : "foreign";
}

uint64_t stack_used(const struct look_thread *t)
{
	return t->is_switched_out && t->stack_start > t->sp && t->sp >= t->stack_low ? t->stack_start - t->sp
										     : UINT64_MAX;
}
