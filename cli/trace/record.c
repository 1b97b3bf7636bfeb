// SPDX-License-Identifier: BSD-2-Clause
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../look/kernel.h"
#include "unpack.h"

enum {
	RING_BYTES = 1 << 21,			/* of a program that we start: what the library takes */
	CALLS_AT_ONCE = 8,			/* asked for in one look */
	BLOCKED_MAX = 1 << 12, HUGE_PAGE = 1 << 21,
	LOOK_MIN_US = 1000, LOOK_MAX_US = 32000,
	LOOK_FOR_CALLS_US = 8000,		/* while kernel threads block in what has no name yet */
};
static const uint64_t lease_ticks = UINT64_C(20000000000);	/* some seconds */
static const uint64_t long_ticks = 2000000;			/* about a millisecond: a call worth a question */

static struct {
	uint64_t begin_ns;
	struct upcall_trace *shared;		/* of a program that we started, else NULL */
	size_t shared_bytes;
	uint64_t remote;			/* address of its memory otherwise, 0: not made yet */
	struct upcall_trace head;		/* a copy */
	uint64_t read[UPCALL_TRACE_RINGS];	/* records before these are done with */
	uint64_t missing[UPCALL_TRACE_RINGS];	/* lost up to there, and not yet marked as such */
	unsigned nrings;
	uint16_t session;			/* what we switched the rings on with; 0: the program did itself */
	unsigned look_us;
	struct { uint32_t thread; int tid; uint64_t ticks; } *blocked;
	size_t nblocked;
	volatile pid_t child;			/* 0: ended, see status */
	int status;
	sigset_t signals;			/* as they were before ours, for the program */
	struct sigaction on_int, on_term;
} at = { .look_us = LOOK_MIN_US };

static volatile sig_atomic_t is_interrupted;

/*
 * It ends the recording, and is the program's too.  One that the kernel made comes from a terminal, which
 * has sent it to both.
 */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	int err = errno;

	(void)context;
	is_interrupted = 1;
	if (at.child && info->si_code != SI_KERNEL)
		kill(at.child, sig);
	errno = err;
}

static uint64_t ticks_now(void)
{
	return __builtin_ia32_rdtsc();
}

static uint64_t ns_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void begin(struct recording *r)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigaction(SIGINT, &action, &at.on_int);
	sigaction(SIGTERM, &action, &at.on_term);
	at.blocked = calloc(BLOCKED_MAX, sizeof(*at.blocked));
	if (!at.blocked)
		die(1, "out of memory");
	r->begin_ticks = ticks_now();
	at.begin_ns = ns_now();
}

static bool remote_write(const struct target *t, uint64_t address, const void *buf, size_t bytes)
{
	struct iovec local = { (void *)(uintptr_t)buf, bytes }, remote = { (void *)(uintptr_t)address, bytes };

	return address && process_vm_writev(t->pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

/* Of the memory's beginning: up to the counts of the rings that there are. */
static size_t head_bytes(void)
{
	return offsetof(struct upcall_trace, rings) +
	       (at.nrings ? at.nrings : UPCALL_TRACE_RINGS) * sizeof(struct upcall_trace_ring);
}

/* A fresh copy of the counts; false: there is no memory yet, or no process any more. */
static bool look_at_head(const struct target *t)
{
	if (at.shared) {
		if (__atomic_load_n(&at.shared->magic, __ATOMIC_ACQUIRE) != UPCALL_TRACE_MAGIC)
			return false;
		memcpy(&at.head, at.shared, offsetof(struct upcall_trace, rings));
		for (unsigned i = 0; i < at.head.nrings && i < UPCALL_TRACE_RINGS; i++)
			at.head.rings[i].head = __atomic_load_n(&at.shared->rings[i].head, __ATOMIC_ACQUIRE);
	} else {
		if (!at.remote)
			at.remote = target_global(t, "trace.memory");
		if (!at.remote || !target_read(t, at.remote, &at.head, head_bytes()))
			return false;
	}
	at.nrings = at.head.nrings <= UPCALL_TRACE_RINGS ? at.head.nrings : UPCALL_TRACE_RINGS;
	uint32_t n = at.head.ring_records;

	return at.head.magic == UPCALL_TRACE_MAGIC && at.head.version == UPCALL_TRACE_VERSION &&
	       at.head.record_bytes == sizeof(struct upcall_trace_record) && n && !(n & (n - 1));
}

/* The count after the copying says which of the copies are whole. */
static bool copy_remote(const struct target *t, const uint64_t offsets[2], const size_t bytes[2], char *to,
			unsigned ring, uint64_t *ret_head)
{
	struct iovec local[3], remote[3];
	size_t sum = 0;
	int n = 0;

	for (int i = 0; i < 2; sum += bytes[i++])
		if (bytes[i]) {
			local[n] = (struct iovec){ to + sum, bytes[i] };
			remote[n++] = (struct iovec){ (void *)(uintptr_t)(at.remote + offsets[i]), bytes[i] };
		}
	local[n] = (struct iovec){ ret_head, 8 };
	remote[n++] = (struct iovec){ (void *)(uintptr_t)(at.remote + offsetof(struct upcall_trace, rings[ring].head)), 8 };
	return process_vm_readv(t->pid, local, (unsigned long)n, remote, (unsigned long)n, 0) == (ssize_t)sum + 8;
}

static bool copy_records(const struct target *t, unsigned ring, uint64_t from, uint64_t n,
			 struct upcall_trace_record *to, uint64_t *ret_head)
{
	uint64_t size = at.head.ring_records, first = from % size, part = n < size - first ? n : size - first;
	uint64_t base = at.head.records_offset + ring * size * sizeof(*to);
	const uint64_t offsets[2] = { base + first * sizeof(*to), base };
	const size_t bytes[2] = { part * sizeof(*to), (n - part) * sizeof(*to) };

	if (!at.shared)
		return copy_remote(t, offsets, bytes, (char *)to, ring, ret_head);
	for (int i = 0; i < 2; i++) {
		if (offsets[i] > at.shared_bytes || bytes[i] > at.shared_bytes - offsets[i])
			return false;
		memcpy((char *)to + (i ? bytes[0] : 0), (char *)at.shared + offsets[i], bytes[i]);
	}
	*ret_head = __atomic_load_n(&at.shared->rings[ring].head, __ATOMIC_ACQUIRE);
	return true;
}

/* In huge pages: a fault for each 256 records would take a processor from the traced program too often. */
static void *grown(void *old, size_t before, size_t bytes)
{
	void *more = before ? mremap(old, before, bytes, MREMAP_MAYMOVE) :
			      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (more == MAP_FAILED)
		die(1, "out of memory");
	madvise(more, bytes, MADV_HUGEPAGE);
	return more;
}

static struct upcall_trace_record *room_for(struct records *e, size_t n)
{
	if (e->n + n > e->room) {
		size_t before = e->room * sizeof(*e->all);

		e->room = e->n + n + e->room + HUGE_PAGE / sizeof(*e->all);
		e->all = grown(e->all, before, e->room * sizeof(*e->all));
	}
	return e->all + e->n;
}

/* Rings are read one after the other, so the end of an earlier block may not have been seen. */
static void blocked_add(uint32_t thread, int tid, uint64_t ticks)
{
	size_t i = 0;

	while (i < at.nblocked && at.blocked[i].thread != thread)
		i++;
	if (i == BLOCKED_MAX)
		return;
	at.blocked[i].thread = thread;
	at.blocked[i].tid = tid;
	at.blocked[i].ticks = ticks;
	at.nblocked += i == at.nblocked;
}

static void blocked_remove(uint32_t thread)
{
	for (size_t i = 0; i < at.nblocked; i++)
		if (at.blocked[i].thread == thread) {
			at.blocked[i] = at.blocked[--at.nblocked];
			return;
		}
}

/* Who is in the kernel now, as far as the newest records say. */
static void follow(const struct upcall_trace_record *e, size_t n, uint64_t now)
{
	for (size_t i = 0; i < n; i++, e++) {
		unsigned kind = e->rest & 255;

		if (kind == UPCALL_TRACE_CALL || kind == UPCALL_TRACE_BLOCKED)
			blocked_add(e->thread, (int)(e->rest >> 16), now - ((uint32_t)now - e->ticks));
		else if (kind == UPCALL_TRACE_RETURN || kind == UPCALL_TRACE_UNBLOCKED)
			blocked_remove(e->thread);
	}
}

static void put_gap(struct recording *r, unsigned ring, struct upcall_trace_record *to)
{
	*to = (struct upcall_trace_record){ .ticks = to[-1].ticks, .rest = KIND_GAP | at.missing[ring] << 16 };
	r->lost += at.missing[ring];
	at.missing[ring] = 0;
}

/*
 * Records before these are missing: they make sense from where the time is said on.  Returns how many
 * that are; there is room for one more.
 */
static uint64_t go_on(struct recording *r, unsigned ring, struct upcall_trace_record *e, uint64_t n)
{
	uint64_t i = 0;

	while (i < n && (e[i].rest & 255) != UPCALL_TRACE_TIME)
		i++;
	at.missing[ring] += i;
	if (i == n)
		return 0;
	e[0] = e[i];
	memmove(e + 2, e + i + 1, (n - i - 1) * sizeof(*e));
	put_gap(r, ring, e + 1);
	return n - i + 1;
}

/* A process could write the marks that are ours. */
static void drop_unknown(struct upcall_trace_record *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((e[i].rest & 255) >= UPCALL_TRACE_KINDS)
			e[i].rest &= ~UINT64_C(255);
}

/* What a ring has got since the last look, less what was overwritten meanwhile. */
static void read_ring(struct recording *r, unsigned ring, uint64_t room)
{
	struct records *e = &r->rings[ring];
	uint64_t head = at.head.rings[ring].head, size = at.head.ring_records, from = at.read[ring], now;

	if (head == from || !room)
		return;
	if (head - from > size)
		from = head - size;
	uint64_t n = head - from < room ? head - from : room;
	struct upcall_trace_record *to = room_for(e, n + 1);

	if (!copy_records(&r->target, ring, from, n, to, &now))
		return;
	/* The one that is being written now is not whole either. */
	uint64_t whole = now + 1 > size ? now + 1 - size : 0;
	uint64_t bad = whole > from ? whole - from < n ? whole - from : n : 0;

	at.missing[ring] += from + bad - at.read[ring];
	at.read[ring] = from + n;
	n -= bad;
	if (bad)
		memmove(to, to + bad, n * sizeof(*to));
	drop_unknown(to, n);
	if (at.missing[ring])
		n = go_on(r, ring, to, n);
	follow(to, n, ticks_now());
	e->n += n;
	r->events += n;
}

/* Of rings that were overrun to the end. */
static void mark_the_missing(struct recording *r)
{
	for (unsigned i = 0; i < r->nrings; i++) {
		struct records *e = &r->rings[i];

		if (!at.missing[i])
			continue;
		struct upcall_trace_record *to = room_for(e, 2);

		to[0] = (struct upcall_trace_record){ .ticks = (uint32_t)r->end_ticks,
						      .rest = UPCALL_TRACE_TIME | r->end_ticks >> 32 << 16 };
		put_gap(r, i, to + 1);
		e->n += 2;
	}
}

static bool asks_for_calls(void)
{
	for (size_t i = 0; i < at.nblocked; i++)
		if (at.blocked[i].tid)
			return true;
	return false;
}

/* Looks soon enough that the fullest ring will be a quarter full. */
static void set_pace(uint64_t most)
{
	uint64_t longest = asks_for_calls() ? LOOK_FOR_CALLS_US : LOOK_MAX_US;
	uint64_t us = most ? (uint64_t)at.look_us * (at.head.ring_records / 4) / most : longest;

	at.look_us = us < LOOK_MIN_US ? LOOK_MIN_US : (unsigned)(us > longest ? longest : us);
}

static void read_rings(struct recording *r, uint64_t events_max)
{
	uint64_t most = 0;

	if (!look_at_head(&r->target))
		return;
	r->nrings = at.nrings;
	for (unsigned i = 0; i < at.nrings; i++) {
		uint64_t fresh = at.head.rings[i].head - at.read[i];

		most = fresh > most ? fresh : most;
		read_ring(r, i, events_max > r->events ? events_max - r->events : 0);
	}
	set_pace(most);
}

static void ask_for_calls(struct recording *r)
{
	uint64_t now = ticks_now();
	static size_t next;		/* in turn */

	if (at.nblocked)
		kernel_forget_tids();

	for (size_t n = 0, asked = 0; n < at.nblocked && asked < CALLS_AT_ONCE; n++) {
		size_t i = next++ % at.nblocked;
		struct kernel_call c;

		if (!at.blocked[i].tid || now - at.blocked[i].ticks < long_ticks)
			continue;		/* answered before, or too new */
		asked++;
		kernel_call(r->target.pid, kernel_tid_here(r->target.pid, at.blocked[i].tid), &c);
		if (!c.is_blocked)
			continue;
		const char *name = c.number < 0 ? "page fault" : kernel_call_name(c.number);

		at.blocked[i].tid = 0;
		if (!name)
			continue;
		if (r->ncalls == r->calls_room) {
			r->calls_room = r->calls_room ? 2 * r->calls_room : 256;
			r->calls = realloc(r->calls, r->calls_room * sizeof(*r->calls));
			if (!r->calls)
				die(1, "out of memory");
		}
		r->calls[r->ncalls++] = (struct seen_call){ now, at.blocked[i].thread, name };
	}
}

/* They are made as descriptors come into use, and stay. */
static void read_slot_pages(struct recording *r)
{
	const struct upcall_entry *e = target_entry(&r->target, "slot.pages");
	static uint64_t next_ns;
	size_t bytes = e && e->bytes < sizeof(r->slot_pages) ? e->bytes : sizeof(r->slot_pages);

	if (!e || ns_now() < next_ns)
		return;
	target_read(&r->target, e->value, r->slot_pages, bytes);
	next_ns = ns_now() + 50 * 1000 * 1000;
}

/* By a number that is not what it was the last time. */
static bool switch_on(const struct target *t)
{
	const struct upcall_entry *e = target_entry(t, "trace.is_on");

	at.session = (uint16_t)(ticks_now() >> 16) | 1;
	return e && remote_write(t, e->value, &at.session, sizeof(at.session));
}

/* Tells the process that somebody reads; it may have given up on us, or on another reader who has ended. */
static void renew(const struct target *t)
{
	const struct upcall_entry *e = target_entry(t, "trace.is_on");
	uint64_t now = ticks_now(), until = now + lease_ticks;
	uint16_t is_on;

	if (at.shared)
		__atomic_store_n(&at.shared->until_ticks, until, __ATOMIC_RELAXED);
	else if (at.remote && at.head.until_ticks < now + lease_ticks / 2)
		remote_write(t, at.remote + offsetof(struct upcall_trace, until_ticks), &until, 8);
	if (e && target_read(t, e->value, &is_on, sizeof(is_on)) && !is_on)
		switch_on(t);
}

/* Of a process that nobody has waited for yet the first kernel thread is left, and that has ended. */
static bool is_alive(pid_t pid)
{
	struct kernel_wait w;
	int tids[2];

	if (kill(pid, 0) && errno != EPERM)
		return false;
	kernel_wait(pid, pid, &w);
	return w.state != 'Z' || kernel_tasks(pid, tids, 2) > 1;
}

static void reap(bool wait)
{
	siginfo_t info = { .si_pid = 0 };
	pid_t child = at.child;
	int status;

	if (!child || waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG)) || !info.si_pid)
		return;
	at.child = 0;		/* no signal is passed on to a number that is free again */
	waitpid(child, &status, 0);
	at.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void nap(void)
{
	struct timespec ts = { 0, (long)at.look_us * 1000 };

	nanosleep(&ts, NULL);
}

static void switch_off(const struct target *t)
{
	const struct upcall_entry *e = target_entry(t, "trace.is_on");
	uint16_t is_on, off = 0;

	if (at.shared)
		__atomic_store_n(&at.shared->until_ticks, 0, __ATOMIC_RELAXED);
	else if (e && target_read(t, e->value, &is_on, sizeof(is_on)) && is_on == at.session)
		remote_write(t, e->value, &off, sizeof(off));	/* else somebody else reads, too */
}

/* When the last event was: of what came after nothing is known. */
static uint64_t last_ticks(const struct recording *r)
{
	uint64_t last = r->begin_ticks + 1;

	for (unsigned i = 0; i < r->nrings; i++) {
		struct unpacker u;

		unpack_init(&u, r, i);
		while (unpack_next(&u))
			last = u.ticks > last ? u.ticks : last;
	}
	return last;
}

static void follow_process(struct recording *r, const struct record_options *o)
{
	uint64_t stop_ns = o->seconds > 0 ? ns_now() + (uint64_t)(o->seconds * 1e9) : UINT64_MAX;
	bool lives = true;

	while (lives && !is_interrupted && ns_now() < stop_ns && r->events < o->events_max) {
		nap();
		reap(false);
		lives = is_alive(r->target.pid);
		renew(&r->target);
		read_rings(r, o->events_max);
		if (lives) {
			ask_for_calls(r);
			read_slot_pages(r);
		}
	}
	r->end_ticks = ticks_now();
	r->ns_per_tick = (double)(ns_now() - at.begin_ns) / (double)(r->end_ticks - r->begin_ticks);
	switch_off(&r->target);
	read_rings(r, o->events_max);
	mark_the_missing(r);
	if (!lives || r->events >= o->events_max)
		r->end_ticks = last_ticks(r);
	if (r->events >= o->events_max)
		say("the recording ends after %llu events; --events=N takes more", (unsigned long long)r->events);
	r->has_last = lives && snapshot_take(&r->last, &r->target);
	if (!at.child) {			/* nobody to pass them on to: what is done with the recording can be ended */
		sigaction(SIGINT, &at.on_int, NULL);
		sigaction(SIGTERM, &at.on_term, NULL);
	}
}

static void read_names(struct recording *r)
{
	for (uint32_t i = 0; i < r->target.page.nentries; i++) {
		const struct upcall_entry *e = &r->target.entries[i];

		if (e->kind == UPCALL_VALUE && e->value < 256 && !strncmp(e->name, "wait.", 5))
			r->waits[e->value] = e->name + 5;
	}
}

void record_process(struct recording *r, pid_t pid, const struct record_options *o)
{
	if (!target_open_pid(&r->target, pid))
		die(1, "process %d: %s", (int)pid, r->target.problem);
	const struct upcall_entry *on = target_entry(&r->target, "trace.is_on");
	const struct upcall_entry *until = target_entry(&r->target, "trace.until_ticks");
	uint64_t ticks = ticks_now() + lease_ticks;

	if (!on || !until)
		die(1, "process %d has a library of upcall's that cannot trace", (int)pid);
	if (!target_global(&r->target, "sched.is_started"))
		die(1, "process %d has started no user-level thread yet", (int)pid);
	read_names(r);
	if (!snapshot_take(&r->first, &r->target))
		die(1, "process %d: %s", (int)pid, r->target.problem);
	begin(r);
	if (look_at_head(&r->target)) {
		for (unsigned i = 0; i < at.nrings; i++)
			at.read[i] = at.head.rings[i].head;
		remote_write(&r->target, at.remote + offsetof(struct upcall_trace, until_ticks), &ticks, 8);
	}
	if (!remote_write(&r->target, until->value, &ticks, 8) || !switch_on(&r->target))
		die(1, "process %d may not be written to: %s", (int)pid, strerror(errno));
	follow_process(r, o);
}

/* The child: as if `upcall run` had been called where we were. */
static _Noreturn void run_program(char **argv, int fd)
{
	const char *preload = getenv("UPCALL_LOOK_PRELOAD"), *command = getenv("UPCALL_LOOK_COMMAND");
	char path[64];
	size_t n = 0;

	sigaction(SIGINT, &at.on_int, NULL);
	sigaction(SIGTERM, &at.on_term, NULL);
	sigprocmask(SIG_SETMASK, &at.signals, NULL);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getppid(), fd);
	setenv("UPCALL_TRACE", path, 1);
	if (preload && *preload)
		setenv("LD_PRELOAD", preload, 1);
	unsetenv("UPCALL_LOOK_PRELOAD");
	unsetenv("UPCALL_LOOK_COMMAND");
	while (argv[n])
		n++;
	char **args = calloc(n + 4, sizeof(*args));

	if (args && command) {
		args[0] = (char *)command;
		args[1] = "run";
		args[2] = "--";
		memcpy(args + 3, argv, n * sizeof(*args));
		execv(command, args);
	}
	say("cannot run upcall run: %s", strerror(errno));
	_exit(125);
}

static void make_shared(int *ret_fd)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	const char *vprocs = getenv("UPCALL_VPROCS");
	long rings = 1 + (vprocs && atol(vprocs) > cpus ? atol(vprocs) : cpus);

	rings = rings > UPCALL_TRACE_RINGS ? UPCALL_TRACE_RINGS : rings;
	at.shared_bytes = ((sizeof(struct upcall_trace) + 4095) & ~(size_t)4095) + (size_t)rings * RING_BYTES;
	*ret_fd = memfd_create("upcall-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*ret_fd < 0 || ftruncate(*ret_fd, (off_t)at.shared_bytes))
		die(1, "cannot make memory for the trace: %s", strerror(errno));
	fcntl(*ret_fd, F_ADD_SEALS, F_SEAL_SHRINK);	/* to read what is cut off would end us */
	at.shared = mmap(NULL, at.shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *ret_fd, 0);
	if (at.shared == MAP_FAILED)
		die(1, "cannot map memory for the trace: %s", strerror(errno));
	at.shared->version = UPCALL_TRACE_VERSION;
	at.shared->until_ticks = ticks_now() + lease_ticks;
}

/* Which process of the program's took the rings; 0: it ended without. */
static pid_t wait_for_threads(void)
{
	for (;;) {
		pid_t pid = __atomic_load_n(&at.shared->pid, __ATOMIC_ACQUIRE);

		if (pid && __atomic_load_n(&at.shared->magic, __ATOMIC_ACQUIRE) == UPCALL_TRACE_MAGIC)
			return pid;
		reap(false);
		if (!at.child || is_interrupted)
			return 0;
		at.shared->until_ticks = ticks_now() + lease_ticks;
		nap();
	}
}

/* Signals wait until it is known to whom they are passed on, and until the child has no handler of ours. */
static void start_program(char **argv, int fd)
{
	sigset_t both;

	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, &at.signals);
	pid_t child = fork();

	if (child < 0)
		die(1, "fork: %s", strerror(errno));
	if (!child)
		run_program(argv, fd);
	at.child = child;
	sigprocmask(SIG_SETMASK, &at.signals, NULL);
}

bool record_program(struct recording *r, char **argv, const struct record_options *o)
{
	int fd;

	make_shared(&fd);
	begin(r);
	start_program(argv, fd);
	pid_t pid = wait_for_threads();

	if (!pid) {
		reap(true);
		return false;
	}
	if (!target_open_pid(&r->target, pid))
		die(1, "process %d: %s", (int)pid, r->target.problem);
	read_names(r);
	if (!snapshot_take(&r->first, &r->target))
		say("process %d: %s", (int)pid, r->target.problem);
	r->begin_ticks = ticks_now();
	at.begin_ns = ns_now();
	__atomic_store_n(&at.shared->is_read, 1, __ATOMIC_RELEASE);
	follow_process(r, o);
	if (at.shared->refused)
		say("%u other processes of the program had threads too, and were not traced; see -p", at.shared->refused);
	return true;
}

int record_status(void)
{
	while (at.child)
		reap(true);
	return at.status;
}

void record_free(struct recording *r)
{
	for (unsigned i = 0; i < UPCALL_TRACE_RINGS; i++)
		if (r->rings[i].room)
			munmap(r->rings[i].all, r->rings[i].room * sizeof(*r->rings[i].all));
	free(r->calls);
	snapshot_free(&r->first);
	if (r->has_last)
		snapshot_free(&r->last);
	target_close(&r->target);
}
