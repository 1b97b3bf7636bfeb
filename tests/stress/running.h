// SPDX-License-Identifier: BSD-2-Clause
/*
 * How many kernel threads of a process run at a time, by the kernel's account (/proc/PID/task): for an observer, which
 * looks again and again.
 *
 * A kernel thread *runs* from look to look while it wants a processor and does not block, once it has run for RUN_NS, as
 * long as that is a RUN_SHARE-th of what the process has had meanwhile.  An armed spare wants a processor all the time,
 * too, but gives it up at once; the monitor and the clerk sleep in between: they do not count.  Where more run than
 * there are vprocs, that is an excess; it lasts until no more do.  How long is told in two ways: by the clock, and by
 * what the least of them all has run, look by look.  That is what a program beside it, or a machine that stands
 * still, makes no longer.
 */
#ifndef STRESS_RUNNING_H
#define STRESS_RUNNING_H

#include "stress.h"
#include <dirent.h>

#define RUN_NS 200000
#define RUN_SHARE 50
#define RUNNING_MAX 512
#define EXCESSES 20000
#define EXCESS_NS 200000000ull	/* so long all of them may have run in one; who is forgotten runs for ever */

static struct running {
	struct run {
		int tid;		/* 0: none */
		bool wants, was_seen;
		uint64_t cpu_ns, blocks;	/* when it was last seen to want a processor */
		uint64_t ran_ns, since_ns;	/* since it has: what it has run, and the process's CPU time then */
	} of[RUNNING_MAX];
	unsigned looks, looks_beyond, peak_threads, want_now, wanting[RUNNING_MAX];	/* how many looks saw so many */
	uint64_t began_ns, together_ns;	/* began: 0 while there is no excess */
	unsigned n;			/* of the excesses; the first are kept */
	uint64_t lasted_ns[EXCESSES], longest_together_ns;
} running;

static inline bool read_of_task(pid_t pid, int tid, const char *what, char *to, size_t bytes)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, tid, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, bytes - 1);

	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static inline struct run *run_of(int tid)
{
	for (unsigned i = 0; i < RUNNING_MAX; i++)
		if (running.of[i].tid == tid)
			return &running.of[i];
	return NULL;
}

static inline bool runs(const struct run *r, uint64_t cpu_ns)
{
	return r->wants && r->ran_ns >= RUN_NS && r->ran_ns * RUN_SHARE >= cpu_ns - r->since_ns;
}

/* What it has run since the last look, if it runs now.  It may end meanwhile. */
static inline uint64_t look_at_task(pid_t pid, int tid, uint64_t cpu_ns, unsigned *runners)
{
	static const char word[] = "\nvoluntary_ctxt_switches:";
	char text[4096];
	struct run *r = run_of(tid);
	const char *at = NULL;
	unsigned long long cpu = 0;
	uint64_t ran = 0;

	if (!r)
		r = run_of(0);
	if (!r)
		return 0;
	if (read_of_task(pid, tid, "stat", text, sizeof text))
		at = strrchr(text, ')');
	bool wants = at && at[1] == ' ' && at[2] == 'R';

	if (wants && read_of_task(pid, tid, "schedstat", text, sizeof text) && sscanf(text, "%llu", &cpu) == 1 &&
	    read_of_task(pid, tid, "status", text, sizeof text) && (at = strstr(text, word)) != NULL) {
		uint64_t blocks = strtoull(at + sizeof word - 1, NULL, 10);

		bool is_on = r->tid == tid && r->wants && r->blocks == blocks;

		ran = is_on ? cpu - r->cpu_ns : 0;
		r->ran_ns = is_on ? r->ran_ns + ran : 0;
		r->since_ns = is_on ? r->since_ns : cpu_ns;
		r->cpu_ns = cpu;
		r->blocks = blocks;
	}
	r->tid = tid;
	r->wants = wants;
	r->was_seen = true;
	*runners += runs(r, cpu_ns);
	return runs(r, cpu_ns) ? ran : 0;
}

static inline int more_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* Looks at all of them.  True if too many run; *ret_ns: what the least of nvprocs + 1 has run since the last look. */
static inline bool look_at_tasks(pid_t pid, unsigned nvprocs, uint64_t cpu_ns, uint64_t *ret_ns)
{
	static uint64_t ran[RUNNING_MAX];
	unsigned n = 0, runners = 0, wanting = 0;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);

	for (unsigned i = 0; i < RUNNING_MAX; i++)
		running.of[i].was_seen = false;
	for (struct dirent *e; d && n < RUNNING_MAX && (e = readdir(d)) != NULL;)
		if (atoi(e->d_name) > 0)
			ran[n++] = look_at_task(pid, atoi(e->d_name), cpu_ns, &runners);
	if (d)
		closedir(d);
	for (unsigned i = 0; i < RUNNING_MAX; i++) {
		if (!running.of[i].was_seen)
			running.of[i].tid = 0;
		wanting += running.of[i].tid && running.of[i].wants;
	}
	running.want_now = wanting;
	running.wanting[wanting]++;
	if (n > running.peak_threads)
		running.peak_threads = n;
	qsort(ran, n, sizeof ran[0], more_first);
	*ret_ns = n > nvprocs ? ran[nvprocs] : 0;
	return runners > nvprocs;
}

/* cpu_ns: the process's CPU time.  What the excess under way comes to, in time that all of them have run. */
static inline uint64_t look_at_running(pid_t pid, unsigned nvprocs, uint64_t cpu_ns)
{
	uint64_t now = now_ns(), together;
	bool are_many = look_at_tasks(pid, nvprocs, cpu_ns, &together);

	running.looks++;
	if (are_many && !running.began_ns) {
		running.began_ns = now;
		running.together_ns = 0;
	}
	if (are_many) {
		running.looks_beyond++;
		running.together_ns += together;
		if (running.together_ns > running.longest_together_ns)
			running.longest_together_ns = running.together_ns;
		return running.together_ns;
	}
	if (running.began_ns && running.n < EXCESSES)
		running.lasted_ns[running.n] = now - running.began_ns;
	running.n += running.began_ns != 0;
	running.began_ns = 0;
	return 0;
}

static inline unsigned wanting_at(unsigned percent)
{
	unsigned seen = 0, i = 0;

	while (i + 1 < RUNNING_MAX && (seen += running.wanting[i]) * 100ull < running.looks * (uint64_t)percent)
		i++;
	return i;
}

static inline void report_running(unsigned nvprocs, const char *bound)
{
	unsigned n = running.n < EXCESSES ? running.n : EXCESSES;

	qsort(running.lasted_ns, n, sizeof running.lasted_ns[0], more_first);
	printf("%u looks at %u vprocs: %u kernel threads wanted a processor (median), %u (p99), spares and helpers with them\n",
	       running.looks, nvprocs, wanting_at(50), wanting_at(99));
	printf("more than vprocs ran at %u looks, %u times in a row; ", running.looks_beyond, running.n);
	if (n)
		printf("for %.1f ms (median), %.1f (p99), %.1f at most of those, ", (double)running.lasted_ns[n / 2] / 1e6,
		       (double)running.lasted_ns[n / 100] / 1e6, (double)running.lasted_ns[0] / 1e6);
	printf("together for %.1f ms at most\nthe bound on each: %s; a look is coarser\n",
	       (double)running.longest_together_ns / 1e6, bound);
	fflush(stdout);
}

#endif
