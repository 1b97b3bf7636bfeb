// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program on the C library's own threads, looked at about a thousand times a second through /proc: which of
 * its threads run, and in which call the others wait.  That takes no privilege and changes nothing in the
 * program; a look takes some microseconds of processor time for each thread, and looks are made so seldom that
 * they take a twentieth of one processor at most.  What the kernel counts (processor time, switches) is taken
 * from it, exact; so are the threads started, where it gives perf records (starts.c).
 */
#include "observe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../cli.h"

#define LOOK_S 0.001		/* between two looks, at least */
#define PAUSE_MAX_S 1.0		/* and at most */
#define LOOK_SHARE 20		/* of the time, what looks may take: one in so many */

enum {
	PROCESSES_MAX = 1024, TREE_EVERY = 16,	/* looks; then children are looked for */
	GRACE_S = 10,				/* from SIGTERM to SIGKILL */
	LINE_BYTES = 256,			/* of short files */
};

struct seen_thread {
	int tid;
	uint64_t switches;	/* its own, when it was last seen waiting */
};

struct list {
	struct seen_thread *of;
	size_t n, room;
	bool is_mixed;		/* not in the order of the numbers, which began anew meanwhile */
};

struct process {
	pid_t pid;
	bool is_here;		/* the last look found it */
	struct list now, before;
};

struct start {
	int (*become)(void *arg);	/* in the child: exec; returns the errno for which that failed */
	void *arg;
};

static struct {
	struct process processes[PROCESSES_MAX];
	unsigned n;
	struct observation *seen;
	double look_s;		/* what this look stands for: the time since the one before */
	bool is_busy;
	bool is_first_idle;	/* the program's first process waits for others, or for something to do */
} at;

static volatile sig_atomic_t program;	/* the PID of its first process, while it runs */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool read_text(int folder, const char *path, char *text, size_t size)
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
	int err = errno;

	if (fd >= 0)
		close(fd);
	errno = err;
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static struct wait *wait_of(const char *call, enum wait_kind kind)
{
	struct observation *seen = at.seen;

	for (unsigned i = 0; i < seen->nwaits; i++)
		if (seen->waits[i].call == call && seen->waits[i].kind == kind)
			return &seen->waits[i];
	if (seen->nwaits == WAITS_MAX)
		return &seen->waits[WAITS_MAX - 1];
	seen->waits[seen->nwaits] = (struct wait){ .call = call, .kind = kind };
	return &seen->waits[seen->nwaits++];
}

/* False: it has ended, or is stopped, and waits for nothing. */
static bool read_status(int folder, const char *tid, uint64_t *ret_switches)
{
	static const char key[] = "\nvoluntary_ctxt_switches:", state_key[] = "\nState:\t";
	char path[64], text[4096];

	snprintf(path, sizeof(path), "%.16s/status", tid);
	if (!read_text(folder, path, text, sizeof(text)))
		return false;
	const char *found = strstr(text, key), *state = strstr(text, state_key);

	if (!found || !state || strchr("ZXTt", state[sizeof(state_key) - 1]))
		return false;
	*ret_switches = strtoull(found + sizeof(key) - 1, NULL, 10);
	return true;
}

/*
 * "running", "-1 ..." outside of any call (a page fault), or the call's number and its arguments.  The waits of
 * a helper are not the program's: they count only while its first process has nothing else to wait for.
 */
static void look_at_call(struct process *p, int folder, const char *tid, uint64_t *switches)
{
	char path[64], line[LINE_BYTES];
	unsigned long first = 0;
	const char *name;
	uint64_t now;
	long number;

	snprintf(path, sizeof(path), "%.16s/syscall", tid);
	if (!read_text(folder, path, line, sizeof(line))) {
		at.seen->refused += errno == EPERM || errno == EACCES;
		return;
	}
	if (sscanf(line, "%ld 0x%lx", &number, &first) < 1) {
		at.is_busy = true;
		at.is_first_idle = at.is_first_idle && p->pid != program;
		return;
	}
	if (!read_status(folder, tid, &now))
		return;
	enum wait_kind kind = call_kind(p->pid, number, first, &name);

	if (p->pid == program && kind != FOR_ORDER && kind != FOR_WORK)
		at.is_first_idle = false;
	if (p->pid == program || at.is_first_idle) {
		struct wait *w = wait_of(name, kind);

		w->time_s += at.look_s;
		w->switches += now > *switches ? (double)(now - *switches) : 0;
	}
	*switches = now;
}

static void note_thread(struct list *list, int tid, uint64_t switches)
{
	if (list->n == list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->of = realloc(list->of, list->room * sizeof(*list->of));
		if (!list->of)
			die(EXIT_OURS, "out of memory");
	}
	list->is_mixed = list->is_mixed || (list->n && list->of[list->n - 1].tid > tid);
	list->of[list->n++] = (struct seen_thread){ tid, switches };
}

/* Both lists are in the order of /proc, that in which the threads began; `place` is where the last one was found. */
static const struct seen_thread *find_before(const struct list *list, size_t *place, int tid)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct seen_thread *t = &list->of[(*place + i) % list->n];

		if (t->tid == tid) {
			*place = (*place + i) % list->n;
			return t;
		}
		if (t->tid > tid && !list->is_mixed)
			return NULL;
	}
	return NULL;
}

static void look_at_thread(struct process *p, int folder, const char *name, size_t *place)
{
	int tid = atoi(name);
	const struct seen_thread *before = find_before(&p->before, place, tid);
	uint64_t switches = before ? before->switches : 0;

	if (!before)
		at.seen->started++;	/* the first of each process is taken off later */
	look_at_call(p, folder, name, &switches);
	note_thread(&p->now, tid, switches);
}

static DIR *open_threads(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return opendir(path);
}

static void look_at_process(struct process *p)
{
	DIR *threads = open_threads(p->pid);
	struct list spare = p->before;
	size_t place = 0;

	p->is_here = threads != NULL;
	if (!threads)
		return;
	p->before = p->now;
	p->now = spare;
	p->now.n = 0;
	p->now.is_mixed = false;
	for (struct dirent *e; (e = readdir(threads));)
		if (e->d_name[0] != '.')
			look_at_thread(p, dirfd(threads), e->d_name, &place);
	closedir(threads);
	if (p->now.n > at.seen->threads_peak)
		at.seen->threads_peak = (unsigned)p->now.n;
}

static bool is_known(pid_t pid)
{
	for (unsigned i = 0; i < at.n; i++)
		if (at.processes[i].pid == pid)
			return true;
	return false;
}

static void add_process(pid_t pid)
{
	if (at.n == PROCESSES_MAX || is_known(pid))
		return;
	at.processes[at.n++] = (struct process){ .pid = pid, .is_here = true };
	at.seen->processes++;
}

static void add_children_of(int folder, const char *tid)
{
	char path[64];
	int child, fd;

	snprintf(path, sizeof(path), "%.16s/children", tid);
	fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	while (file && fscanf(file, "%d", &child) == 1)
		add_process(child);
	if (file)
		fclose(file);
}

static void add_children(pid_t pid)
{
	DIR *threads = open_threads(pid);

	for (struct dirent *e; threads && (e = readdir(threads));)
		if (e->d_name[0] != '.')
			add_children_of(dirfd(threads), e->d_name);
	if (threads)
		closedir(threads);
}

static void forget_process(unsigned i)
{
	free(at.processes[i].now.of);
	free(at.processes[i].before.of);
	at.processes[i] = at.processes[--at.n];
}

/* The program's first process is the first of the list, as long as it is there. */
static void look(void)
{
	struct observation *seen = at.seen;

	at.is_busy = false;
	at.is_first_idle = true;
	if (seen->looks % TREE_EVERY == 0)
		for (unsigned i = 0; i < at.n; i++)	/* and theirs, as the list grows */
			add_children(at.processes[i].pid);
	for (unsigned i = 0; i < at.n; i++)
		look_at_process(&at.processes[i]);
	for (unsigned i = at.n; i-- > 0;)
		if (!at.processes[i].is_here)
			forget_process(i);
	seen->busy_s += at.is_busy ? at.look_s : 0;
	seen->looks++;
}

static bool ends_within(int pidfd, double ns)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };
	struct timespec t = { (time_t)(ns / 1e9), 0 };

	t.tv_nsec = (long)(ns - (double)t.tv_sec * 1e9);
	return ppoll(&end, 1, &t, NULL) == 1;
}

/* The next look comes at a moment that keeps no step with what the program does. */
static double some_ns_about(double ns)
{
	return ns * (0.5 + drand48());
}

static void pass_on(int number)
{
	int err = errno;

	if (program)
		kill(program, number);
	errno = err;
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static void take_usage(struct observation *seen, const struct rusage *u)
{
	seen->compute_s = seconds(&u->ru_utime) + seconds(&u->ru_stime);
	seen->switches = (double)u->ru_nvcsw;
}

/* Those that it started, too: a script that is told to end does not pass that on. */
static void signal_all(int number)
{
	for (unsigned i = 0; i < at.n; i++)
		kill(at.processes[i].pid, number);
}

static void end_program(int pidfd)
{
	double end_s = now_s() + GRACE_S;

	at.seen->was_stopped = true;
	look();
	signal_all(SIGTERM);
	while (!ends_within(pidfd, 1e7))
		if (now_s() > end_s) {
			signal_all(SIGKILL);
			return;
		}
}

static double used_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void watch(int pidfd, double for_s)
{
	double begin_s = now_s(), last_s = begin_s, pause_s = LOOK_S;

	while (!ends_within(pidfd, some_ns_about(pause_s * 1e9))) {
		double start_s = now_s(), before_s = used_s();

		at.look_s = start_s - last_s;
		last_s = start_s;
		if (for_s > 0 && start_s - begin_s > for_s) {
			at.seen->elapsed_s = start_s - begin_s;
			end_program(pidfd);
			return;
		}
		look();
		starts_read();
		pause_s = LOOK_SHARE * (used_s() - before_s);
		pause_s = pause_s < LOOK_S ? LOOK_S : pause_s > PAUSE_MAX_S ? PAUSE_MAX_S : pause_s;
	}
	at.seen->elapsed_s = now_s() - begin_s;
}

/* Between it and us, until it is the program. */
struct strings {
	int go[2];		/* a byte when it is watched */
	int failed[2];		/* the errno for which it is not to be had; closed by exec */
};

static _Noreturn void become(const struct start *s, const struct strings *strings)
{
	char byte;
	int err;
	ssize_t n;

	close(strings->go[1]);
	while ((n = read(strings->go[0], &byte, 1)) < 0 && errno == EINTR)
		;
	if (n != 1)
		_exit(EXIT_OURS);	/* nobody watches */
	err = s->become(s->arg);
	_exit(write(strings->failed[1], &err, sizeof(err)) == sizeof(err) ? EXIT_NOT_EXECUTABLE : EXIT_OURS);
}

/* 0: it is the program now; else the errno for which it is not. */
static int let_go(const struct strings *strings)
{
	int err = 0;

	close(strings->go[0]);
	close(strings->failed[1]);
	if (write(strings->go[1], "", 1) != 1)
		err = errno;
	close(strings->go[1]);
	while (!err && read(strings->failed[0], &err, sizeof(err)) < 0 && errno == EINTR)
		;
	close(strings->failed[0]);
	return err;
}

static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

/* Those of the terminal are the program's, too; the others are passed on. */
static void catch_signals(struct sigaction before[SIGNALS])
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, pass = { .sa_handler = pass_on, .sa_flags = SA_RESTART };

	for (int i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], i < 2 ? &ignore : &pass, &before[i]);
		if (before[i].sa_handler == SIG_IGN)	/* nohup */
			sigaction(signals[i], &before[i], NULL);
	}
}

static void release_signals(const struct sigaction before[SIGNALS])
{
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

static int watch_from_the_start(const struct strings *strings, double for_s)
{
	int pidfd = (int)syscall(SYS_pidfd_open, program, 0), err;

	if (pidfd < 0)
		return errno;
	add_process(program);
	bool has_starts = starts_open(program);

	disks_begin();
	err = let_go(strings);
	if (!err)
		watch(pidfd, for_s);
	close(pidfd);
	at.seen->device_s = disks_busy_s();
	at.seen->started -= at.seen->started > at.seen->processes ? at.seen->processes : at.seen->started;
	if (has_starts)
		at.seen->has_all_started = starts_close(&at.seen->started);
	return err;
}

static int observe_start(const struct start *s, double for_s, struct observation *seen)
{
	struct sigaction before[SIGNALS];
	struct strings strings;
	struct rusage usage;

	if (pipe2(strings.go, O_CLOEXEC) || pipe2(strings.failed, O_CLOEXEC))
		die(EXIT_OURS, "pipe: %s", strerror(errno));
	*seen = (struct observation){ 0 };
	at.seen = seen;
	catch_signals(before);
	program = fork();
	if (program < 0)
		die(EXIT_OURS, "fork: %s", strerror(errno));
	if (program == 0) {
		release_signals(before);
		become(s, &strings);
	}
	int err = watch_from_the_start(&strings, for_s);

	if (err)
		kill(program, SIGKILL);
	while (wait4(program, &seen->status, 0, &usage) < 0 && errno == EINTR)
		;
	program = 0;
	release_signals(before);
	take_usage(seen, &usage);
	while (at.n)
		forget_process(at.n - 1);
	return err;
}

struct words {
	const struct program *program;
	char **argv;
	int argc;
};

static int become_program(void *arg)
{
	const struct words *w = arg;

	return program_exec(w->program, w->argv, w->argc);
}

static int become_on_upcall(void *arg)
{
	const struct words *w = arg;
	char self[4096], run[] = "run", end[] = "--";
	char **argv = calloc((size_t)w->argc + 4, sizeof(*argv));

	if (!argv || !own_path(self, sizeof(self)))
		return ENOMEM;
	argv[0] = self;
	argv[1] = run;
	argv[2] = end;
	memcpy(argv + 3, w->argv, (size_t)w->argc * sizeof(*argv));
	execv(self, argv);
	return errno;
}

int observe(const struct program *p, char **argv, int argc, double for_s, struct observation *ret_seen)
{
	struct words words = { p, argv, argc };
	struct start start = { become_program, &words };

	return observe_start(&start, for_s, ret_seen);
}

int observe_on_upcall(char **argv, int argc, double for_s, struct observation *ret_seen)
{
	struct words words = { NULL, argv, argc };
	struct start start = { become_on_upcall, &words };

	return observe_start(&start, for_s, ret_seen);
}
