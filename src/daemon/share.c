// SPDX-License-Identifier: BSD-2-Clause
/*
 * Shares the processors out between the processes that ask for it (Anderson et al. 1991, section 4.1: evenly,
 * whoever does not need its share leaves it to the others; Zahorjan and McCann 1990).
 *
 * A process says in its page how many vprocs it has work for (abi_share).  All others together count as one more, which
 * wants as many processors as they have used of late.  As long as there are enough for all, each is given
 * what it wants and all that is left, so that one that wants more need not ask first.  Else processors go one by one to
 * who has least for its weight, which is that of its nice value in the kernel; each has one at least, as the
 * kernel schedules what is too many.
 *
 * What a process has wanted in the last tenth of a second counts: one that waits for a moment keeps its share.
 */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 20, REST_MS = 500, LOOKS = 5, PAGE_BYTES = 4096, OTHERS_MS = 500, ROTATE_S = 1 };

static struct space {
	struct watch watch;		/* the pidfd */
	pid_t pid;			/* 0: free */
	uid_t uid;
	struct abi_share *page;
	unsigned wanted[LOOKS];		/* at the last looks */
	unsigned demand, given, got;
	double weight;
	uint64_t ticks;			/* of processor time, when the others were counted last */
} spaces[ABI_PROCESSES];

static bool is_on, counts_others, is_uneven;		/* one came or went since the others were counted */
static unsigned of_user_max, nspaces, end /* of those in use */, processors = 1, others, looks;
static uint64_t others_at_ms, busy_ticks, looked_at_ms;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static unsigned count_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? (unsigned)sysconf(_SC_NPROCESSORS_ONLN) : (unsigned)CPU_COUNT(&set);
}

/* In ticks of the kernel's accounts, all processors together: user, system, irq, softirq.  Who is nice leaves us ours. */
static uint64_t read_busy(void)
{
	unsigned long long t[8] = { 0 };
	FILE *f = fopen("/proc/stat", "re");

	if (f) {
		(void)!fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6]);
		fclose(f);
	}
	return t[0] + t[2] + t[5] + t[6];
}

static uint64_t read_ticks(pid_t pid)
{
	char path[32], line[1024];
	unsigned long user = 0, system = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *f = fopen(path, "re");
	const char *rest = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;

	if (rest)
		(void)!sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
	if (f)
		fclose(f);
	return user + system;
}

/* Each step of nice is a quarter more. */
static double weight_of(pid_t pid)
{
	double weight = 1;

	errno = 0;
	int nice = getpriority(PRIO_PROCESS, (id_t)pid);

	if (errno)
		return 1;
	for (; nice > 0; nice--)
		weight /= 1.25;
	for (; nice < 0; nice++)
		weight *= 1.25;
	return weight;
}

/* What those that know nothing of it have used since the last time, in whole processors. */
static void count_others(uint64_t now_ms)
{
	uint64_t busy = read_busy(), ours = 0, span_ms = now_ms - others_at_ms;
	double ticks = (double)span_ms * (double)sysconf(_SC_CLK_TCK) / 1000, theirs;

	for (struct space *s = spaces; s < spaces + end; s++) {
		if (!s->pid)
			continue;
		uint64_t now = read_ticks(s->pid);

		ours += now > s->ticks && s->weight >= 1 ? now - s->ticks : 0;
		s->ticks = now;
		s->weight = weight_of(s->pid);
	}
	theirs = busy > busy_ticks + ours ? (double)(busy - busy_ticks - ours) / ticks + 0.5 : 0;
	/* What one has used that came or went in between is in it. */
	if (counts_others && (!is_uneven || theirs < others))
		others = theirs < processors ? (unsigned)theirs : processors;
	is_uneven = false;
	busy_ticks = busy;
	others_at_ms = now_ms;
	processors = count_processors();
}

/* Whatever is written there. */
static unsigned read_wanted(const struct space *s, uint64_t now)
{
	uint64_t written = __atomic_load_n(&s->page->process_ns, __ATOMIC_ACQUIRE);
	uint32_t wanted = __atomic_load_n(&s->page->wanted, __ATOMIC_RELAXED);

	if (written > now || now - written > ABI_SHARE_STALE_NS)
		return 0;
	return wanted < processors ? wanted : processors;
}

static void look_at(struct space *s, uint64_t now)
{
	s->wanted[looks % LOOKS] = read_wanted(s, now);
	s->demand = 0;
	for (int i = 0; i < LOOKS; i++)
		if (s->wanted[i] > s->demand)
			s->demand = s->wanted[i];
	s->got = 0;
}

/* Who has least for its weight, and wants more; of equals another goes first each second. */
static struct space *neediest(uint64_t now, struct space *rest)
{
	unsigned first = (unsigned)(now / 1000000000 / ROTATE_S % end);
	struct space *found = rest->got < rest->demand ? rest : NULL;

	for (unsigned i = 0; i < end; i++) {
		struct space *s = &spaces[(first + i) % end];

		if (s->pid && s->got < s->demand &&
		    (!found || (s->got + 1) / s->weight < (found->got + 1) / found->weight))
			found = s;
	}
	return found;
}

static void tell(struct space *s, unsigned given, uint64_t now)
{
	given = given ? given : 1;
	if (given != s->given)
		__atomic_store_n(&s->page->given, given, __ATOMIC_RELAXED);
	s->given = given;
	__atomic_store_n(&s->page->daemon_ns, now, __ATOMIC_RELEASE);
}

static void share_out(uint64_t now)
{
	struct space rest = { .demand = others, .weight = 1 }, *next;
	unsigned left = processors;

	while (left && (next = neediest(now, &rest))) {
		next->got++;
		left--;
	}
	for (struct space *s = spaces; s < spaces + end; s++)
		if (s->pid)
			tell(s, s->got + left, now);
}

int share_tick(void)
{
	uint64_t now = now_ns(), now_ms = now / 1000000;
	bool is_busy = false;

	if (!nspaces || now_ms - looked_at_ms < LOOK_MS)
		return nspaces ? LOOK_MS : REST_MS;
	looked_at_ms = now_ms;
	if (now_ms - others_at_ms >= OTHERS_MS)
		count_others(now_ms);
	looks++;
	for (struct space *s = spaces; s < spaces + end; s++) {
		if (!s->pid)
			continue;
		look_at(s, now);
		is_busy |= s->demand > 0;
	}
	share_out(now);
	return is_busy ? LOOK_MS : LOOK_MS * LOOKS;
}

static void on_end_of_process(void *arg)
{
	struct space *s = arg;

	watch_remove(&s->watch);
	close(s->watch.fd);
	munmap(s->page, PAGE_BYTES);
	s->pid = 0;
	nspaces--;
	is_uneven = true;
}

/* Its size is fixed: to read it is no risk.  A descriptor or -errno. */
static int new_page(struct abi_share **ret_page)
{
	int fd = memfd_create("upcall-share", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	void *page = MAP_FAILED;

	if (ftruncate(fd, PAGE_BYTES) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED) {
		*ret_page = page;
		return fd;
	}
	int err = -errno;

	close(fd);
	return err;
}

static struct space *find(pid_t pid)
{
	for (struct space *s = spaces; s < spaces + ABI_PROCESSES; s++)
		if (s->pid == pid)
			return s;
	return NULL;
}

static unsigned count_of_user(uid_t uid)
{
	unsigned n = 0;

	for (struct space *s = spaces; s < spaces + end; s++)
		n += s->pid && s->uid == uid;
	return n;
}

int share_admit(pid_t pid, uid_t uid, int pidfd, int *ret_fd)
{
	struct space *before = find(pid), *s;
	struct abi_share *page = NULL;

	if (!is_on)
		return -ENOTSUP;
	if (before)			/* it has executed another program, or was not told for a while */
		on_end_of_process(before);
	s = find(0);
	if (!s || (uid && count_of_user(uid) >= of_user_max))
		return s ? -EUSERS : -ENOSPC;
	int fd = new_page(&page);

	if (fd < 0)
		return fd;
	*s = (struct space){ { on_end_of_process, s, pidfd }, pid, uid, page,
			      .weight = weight_of(pid), .ticks = read_ticks(pid) };
	int err = watch_add(&s->watch);

	if (err) {
		s->pid = 0;
		munmap(page, PAGE_BYTES);
		close(fd);
		return err;
	}
	if (end <= s - spaces)
		end = (unsigned)(s - spaces) + 1;
	nspaces++;
	is_uneven = true;
	looked_at_ms = 0;		/* at once */
	*ret_fd = fd;
	return 0;
}

bool share_is_on(void)
{
	return is_on;
}

void share_start(unsigned per_user, bool counts)
{
	is_on = true;
	counts_others = counts;
	of_user_max = per_user;
	processors = count_processors();
	busy_ticks = read_busy();
	others_at_ms = now_ns() / 1000000;
}

void share_status(char *text, size_t size)
{
	unsigned given = 0;

	text[0] = 0;
	for (struct space *s = spaces; s < spaces + end; s++)
		given += s->pid && s->demand ? s->given : 0;
	if (is_on)
		snprintf(text, size, "; shares %u processors out: %u processes, %u given, %u used by others", processors,
			 nspaces, given, others);
}
