// SPDX-License-Identifier: BSD-2-Clause
/*
 * `upcall run --stats`: what the counters stand at when the process exits, as one table in one
 * write, so that the tables of a program and its children do not mix.
 *
 * Programs close their standard error before they exit, so ours is a copy, made at load, at the top
 * of the descriptor table.  What it costs a program that its reader is gone, or its file full, is ours alone:
 * the signals for that are taken back.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/print.h"
#include "../sched/vproc.h"
#include "../sync/lot.h"
#include "page.h"

static struct {
	bool is_wanted;
	char path[PATH_MAX];	/* empty: standard error */
	int copy;		/* of it, or -1 */
	dev_t dev;
	ino_t ino;
	uint64_t load_ns;
} stats;

static int copy_high(int fd)
{
	struct rlimit lim;
	long top = 1024;

	if (arch_syscall2(SYS_getrlimit, RLIMIT_NOFILE, (long)&lim) == 0)
		top = lim.rlim_cur < 1 << 20 ? (long)lim.rlim_cur : 1 << 20;
	long copy = arch_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, top - 8);

	return copy < 0 ? -1 : (int)copy;
}

/* The program may change its directory before it exits. */
static void set_path(const char *name)
{
	size_t len = 0;

	if (name[0] != '/' && arch_syscall2(SYS_getcwd, (long)stats.path, sizeof(stats.path)) > 0) {
		len = strlen(stats.path);
		stats.path[len++] = '/';
	}
	if (len + strlen(name) < sizeof(stats.path))
		strcpy(stats.path + len, name);
}

void stats_init(void)
{
	const char *where = secure_getenv("UPCALL_STATS");
	struct stat st;

	if (!where || !*where || strcmp(where, "0") == 0)
		return;
	bool has_error = fstat(2, &st) == 0, is_for_error = strcmp(where, "-") == 0 || strcmp(where, "1") == 0;

	if (has_error) {
		stats.dev = st.st_dev;
		stats.ino = st.st_ino;
	}
	stats.is_wanted = has_error || !is_for_error;
	stats.load_ns = now_ns();
	stats.copy = -1;
	if (is_for_error)
		stats.copy = copy_high(2);
	else
		set_path(where);
}

/* A program that closes what it does not know may have something else there by now. */
static bool is_standard_error(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == stats.dev && st.st_ino == stats.ino;
}

/* Where to write, or -errno. */
static int open_output(void)
{
	if (stats.path[0])
		return (int)arch_syscall4(SYS_openat, AT_FDCWD, (long)stats.path,
					  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (is_standard_error(stats.copy))
		return stats.copy;
	return is_standard_error(2) ? 2 : -EBADF;
}

/* 0 or -errno.  The program does not hear of SIGPIPE or SIGXFSZ for it, unless it waits for its own. */
static int write_quietly(int fd, const char *text, size_t bytes)
{
	uint64_t all = SCHED_BLOCK_ALL, mask, before = 0, mine = 1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1);
	const struct timespec none = { 0 };

	sys_sigmask(SIG_SETMASK, &all, &mask);
	arch_syscall2(SYS_rt_sigpending, (long)&before, 8);
	long n = arch_syscall3(SYS_write, fd, (long)text, (long)bytes);

	mine &= ~before;
	if (n == -EPIPE || n == -EFBIG)
		arch_syscall4(SYS_rt_sigtimedwait, (long)&mine, 0, (long)&none, 8);
	sys_sigmask(SIG_SETMASK, &mask, NULL);
	return n < 0 ? (int)n : (size_t)n < bytes ? -ENOSPC : 0;
}

struct text {
	char buf[6000];
	size_t len;
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (t->len < sizeof(t->buf))
		t->len += print_to_v(t->buf + t->len, sizeof(t->buf) - t->len, fmt, ap);
	va_end(ap);
}

static void put_row(struct text *t, const char *name, uint64_t value)
{
	put(t, "  %28s %14lu\n", name, (unsigned long)value);
}

static void put_counters(struct text *t)
{
	const struct upcall_entry *e = (const struct upcall_entry *)(uintptr_t)upcall_page.entries;

	for (uint32_t i = 0; i < upcall_page.nentries; i++, e++) {
		char name[64];
		size_t len = strlen(e->name);

		if (e->kind != UPCALL_COUNTER && e->kind != UPCALL_GAUGE && e->kind != UPCALL_VPROC_COUNTER)
			continue;
		print_to(name, sizeof(name), "%s%s", e->name, e->name[len - 1] == '.' ? upcall_page.source : "");
		put_row(t, name, page_read(e));
	}
}

/* Stacks are kept for the next thread, so what was handed out is still there. */
static void put_memory(struct text *t)
{
	struct rusage usage;
	uint64_t bytes = 0, n = 0;
	struct thread *me = rt_enter();

	thread_lock_all();
	for (struct list *l = threads.all.next; l != &threads.all; l = l->next) {
		struct thread *one = container_of(l, struct thread, all_link);

		n += one->stack_class != NULL;
		bytes += one->stack_class ? one->stack_bytes + one->guard_bytes + sizeof(*one) : 0;
	}
	thread_unlock_all();
	rt_leave(me);
	put_row(t, "stacks", n);
	put_row(t, "stacks_reserved_bytes", bytes);
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		put_row(t, "memory_peak_bytes", (uint64_t)usage.ru_maxrss * 1024);
}

static void put_head(struct text *t)
{
	uint64_t ms = (now_ns() - stats.load_ns) / NS_PER_MS;

	put(t, "upcall: %s (process %d)", program_invocation_short_name, sys_getpid());
	if (!sched_is_started)
		put(t, " started no user-level thread\n");
	else
		put(t, " after %lu.%03lu s, %u vprocs\n", (unsigned long)(ms / 1000),
		    (unsigned long)(ms % 1000), sched_vprocs());
}

/* The runtime goes on meanwhile: other threads may still run. */
__attribute__((destructor)) void stats_at_exit(void)
{
	static struct text text;
	static struct au32 writer;	/* the process that has begun to write */
	uint32_t me = (uint32_t)sys_getpid();

	/* A child that only ran on for a while after a fork has nothing of its own to tell. */
	if (!stats.is_wanted || (!sched_is_started && lot_fork_count))
		return;
	if (xchg_acq_rel(&writer, me) == me)
		return;			/* exit() ended in _exit(), or two threads exit */
	text.len = 0;
	put_head(&text);
	if (sched_is_started) {
		put_counters(&text);
		put_memory(&text);
	}
	int fd = open_output(), err = fd;

	if (fd >= 0)
		err = write_quietly(fd, text.buf, text.len < sizeof(text.buf) ? text.len : sizeof(text.buf));
	if (!stats.path[0])
		return;
	if (err < 0 && is_standard_error(2))
		complain("%s: cannot write statistics (error %d)", stats.path, -err);
	if (fd >= 0)
		arch_syscall1(SYS_close, fd);
}
