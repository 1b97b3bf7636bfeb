// SPDX-License-Identifier: BSD-2-Clause
/*
 * What files of the kernel say in numbers, the CPU quota of the control groups first.  Version 1
 * has a mount for each controller, version 2 one for all; a machine may have both.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "../arch/arch.h"
#include "probe.h"

#define MILLI 1000

static long open_file(const char *path)
{
	return arch_syscall4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
}

/* Reads a small file whole; its length, or -errno.  The text ends with a zero. */
static long read_file(const char *path, char *text, size_t size)
{
	long fd = open_file(path);
	size_t got = 0;

	if (fd < 0)
		return fd;
	while (got < size - 1) {
		long n = arch_syscall3(SYS_read, fd, (long)(text + got), (long)(size - 1 - got));

		if (n == -EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	arch_syscall1(SYS_close, fd);
	text[got] = 0;
	return (long)got;
}

/* Reads a number at *at and moves *at behind it; false when there is none. */
static bool read_number(const char **at, int64_t *ret_number)
{
	const char *p = *at + strspn(*at, " \t\n");
	bool is_negative = *p == '-';
	int64_t n = 0;

	p += is_negative;
	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9' && n < INT64_MAX / 10 - 1; p++)
		n = n * 10 + (*p - '0');
	*at = p;
	*ret_number = is_negative ? -n : n;
	return true;
}

int64_t probe_number(const char *path, int64_t otherwise)
{
	char text[64];
	const char *at = text;
	int64_t n;

	return read_file(path, text, sizeof(text)) > 0 && read_number(&at, &n) ? n : otherwise;
}

/* "cpu3 user nice system idle iowait ...": true, and *ret_ticks, if the line is one of a CPU. */
static bool read_idle(const char *line, unsigned *ret_cpu, uint64_t *ret_ticks)
{
	int64_t cpu, value;
	uint64_t idle = 0;

	if (strncmp(line, "cpu", 3) != 0)
		return false;
	line += 3;
	if (*line == ' ' || !read_number(&line, &cpu))
		return false;
	for (int i = 0; i < 5; i++) {
		if (!read_number(&line, &value))
			return false;
		idle += i >= 3 ? (uint64_t)value : 0;
	}
	*ret_cpu = (unsigned)cpu;
	*ret_ticks = idle;
	return true;
}

int probe_idle_ticks(uint64_t *ticks, unsigned n)
{
	static char text[64 * 1024];	/* one reader: the clerk, or the monitor where there is none */
	long got = read_file("/proc/stat", text, sizeof(text));
	unsigned cpu;

	if (got <= 0)
		return got < 0 ? (int)got : -EIO;
	memset(ticks, 0, n * sizeof(*ticks));
	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		uint64_t idle;

		if (read_idle(line, &cpu, &idle) && cpu < n)
			ticks[cpu] = idle;
	}
	return 0;
}

static uint64_t milli_cpus(int64_t quota_us, int64_t period_us)
{
	return quota_us > 0 && period_us > 0 ? (uint64_t)quota_us * MILLI / (uint64_t)period_us : 0;
}

struct path {
	size_t len;
	char text[1024];
};

static bool append(struct path *p, const char *more, size_t n)
{
	if (p->len + n >= sizeof(p->text))
		return false;
	memcpy(p->text + p->len, more, n);
	p->len += n;
	p->text[p->len] = 0;
	return true;
}

static long read_beside(struct path *dir, const char *name, char *text, size_t size)
{
	size_t len = dir->len;
	long n = append(dir, name, strlen(name)) ? read_file(dir->text, text, size) : -ENAMETOOLONG;

	dir->len = len;
	dir->text[len] = 0;
	return n;
}

/* The quota that one control group sets itself. */
static uint64_t quota_of_group(struct path *dir, bool is_v2)
{
	char text[64];
	const char *at = text;
	int64_t quota, period;

	if (is_v2) {
		if (read_beside(dir, "/cpu.max", text, sizeof(text)) <= 0 || !read_number(&at, &quota) ||
		    !read_number(&at, &period))
			return 0;
		return milli_cpus(quota, period);
	}
	if (read_beside(dir, "/cpu.cfs_quota_us", text, sizeof(text)) <= 0 ||
	    !read_number(&at, &quota))
		return 0;
	at = text;
	if (read_beside(dir, "/cpu.cfs_period_us", text, sizeof(text)) <= 0 ||
	    !read_number(&at, &period))
		return 0;
	return milli_cpus(quota, period);
}

/* The tightest quota from our group up to the root of what is mounted. */
static uint64_t quota_up_to(struct path *dir, size_t root_len, bool is_v2)
{
	uint64_t least = 0;

	for (;;) {
		uint64_t q = quota_of_group(dir, is_v2);

		if (q && (!least || q < least))
			least = q;
		if (dir->len <= root_len)
			return least;
		while (dir->len > root_len && dir->text[dir->len - 1] != '/')
			dir->len--;
		if (dir->len > root_len)
			dir->len--;
		dir->text[dir->len] = 0;
	}
}

/* True when the comma-separated list of n bytes holds the word. */
static bool lists(const char *list, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (const char *end = list + n; list < end;) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		size_t item = (size_t)((comma ? comma : end) - list);

		if (item == len && !memcmp(list, word, len))
			return true;
		list += item + 1;
	}
	return false;
}

/* Cuts the next word off a line; its length, 0 at the end. */
static size_t next_word(const char **at, const char **ret_word)
{
	const char *p = *at + strspn(*at, " ");
	size_t n = strcspn(p, " \n");

	*ret_word = p;
	*at = p + n;
	return n;
}

/* A file that may be long, in pieces. */
struct lines {
	long fd;
	char *next, text[4096];		/* ends with a zero, as does each line that was given out */
};

static void open_lines(struct lines *l, const char *path)
{
	l->fd = open_file(path);
	l->next = l->text;
	l->text[0] = 0;
}

static void close_lines(struct lines *l)
{
	if (l->fd >= 0)
		arch_syscall1(SYS_close, l->fd);
}

/* Reads on behind what is left of the text; false at the end. */
static bool read_on(struct lines *l)
{
	size_t kept = strlen(l->next);
	long n;

	if (kept == sizeof(l->text) - 1)	/* a line too long to be ours */
		kept = 0;
	memmove(l->text, l->next, kept);
	l->next = l->text;
	do {
		n = arch_syscall3(SYS_read, l->fd, (long)(l->text + kept), (long)(sizeof(l->text) - 1 - kept));
	} while (n == -EINTR);
	l->text[kept + (n > 0 ? (size_t)n : 0)] = 0;
	return n > 0;
}

/* NULL: no more. */
static const char *next_line(struct lines *l)
{
	char *end, *line;

	while (!(end = strchr(l->next, '\n')))
		if (l->fd < 0 || !read_on(l))
			return NULL;
	line = l->next;
	*end = 0;
	l->next = end + 1;
	return line;
}

/* A line of /proc/self/cgroup: "4:cpu,cpuacct:/path" (v1) or "0::/path" (v2); its path, or NULL: of something else. */
static const char *path_in(const char *line, bool is_v2)
{
	const char *list = strchr(line, ':'), *end = list ? strchr(list + 1, ':') : NULL;

	if (!end)
		return NULL;
	size_t n = (size_t)(end - list - 1);

	return (is_v2 ? n == 0 : lists(list + 1, n, "cpu")) ? end + 1 : NULL;
}

enum { VERSIONS = 2 };		/* [false] is version 1, [true] is version 2 */

/* Our group's in each version; len 0: there is none. */
static void cgroup_paths(struct path ret_paths[VERSIONS])
{
	const char *line, *path;
	struct lines l;

	ret_paths[false].len = ret_paths[true].len = 0;
	open_lines(&l, "/proc/self/cgroup");
	while ((line = next_line(&l)))
		for (int v = 0; v < VERSIONS; v++)
			if (!ret_paths[v].len && (path = path_in(line, v)))
				append(&ret_paths[v], path, strlen(path));
	close_lines(&l);
}

/*
 * One line of /proc/self/mountinfo: id parent dev ROOT POINT options [tags] - TYPE source SUPER.
 * True when it is the control-group file system asked for.
 */
static bool read_mount(const char *line, bool is_v2, const char *ret_words[2], size_t ret_lens[2])
{
	const char *word, *at = line;
	size_t n;

	for (int i = 0; i < 5; i++) {
		n = next_word(&at, &word);
		if (i >= 3) {
			ret_words[i - 3] = word;
			ret_lens[i - 3] = n;
		}
	}
	do {
		n = next_word(&at, &word);
	} while (n && !(n == 1 && *word == '-'));
	n = next_word(&at, &word);
	if (is_v2)
		return n == 7 && !memcmp(word, "cgroup2", 7);
	if (n != 6 || memcmp(word, "cgroup", 6))
		return false;
	next_word(&at, &word);
	n = next_word(&at, &word);
	return lists(word, n, "cpu");
}

/*
 * The folder of our group: the mount point and the path below the mount's root.  In a container
 * the path may be told from outside it; then only the mount point itself can be seen.
 */
static uint64_t quota_at_mount(const char *const words[2], const size_t lens[2], const char *path,
			       size_t path_len, bool is_v2)
{
	struct path dir = { .len = 0 };
	size_t root_len = lens[0] == 1 ? 0 : lens[0];	/* "/" is no prefix to cut */

	if (!append(&dir, words[1], lens[1]))
		return 0;
	if (path_len >= root_len && !memcmp(path, words[0], root_len) && path_len - root_len > 1)
		append(&dir, path + root_len, path_len - root_len);
	return quota_up_to(&dir, lens[1], is_v2);
}

/* Each version's first mount that fits.  The file is long, and costs the kernel some microseconds a line. */
uint64_t probe_quota_milli_cpus(void)
{
	struct lines l;
	struct path paths[VERSIONS];
	const char *line, *words[2];
	size_t lens[2];
	uint64_t quota[VERSIONS] = { 0 };

	cgroup_paths(paths);
	open_lines(&l, "/proc/self/mountinfo");
	while ((paths[false].len || paths[true].len) && (line = next_line(&l)))
		for (int v = 0; v < VERSIONS; v++) {
			if (!paths[v].len || !read_mount(line, v, words, lens))
				continue;
			quota[v] = quota_at_mount(words, lens, paths[v].text, paths[v].len, v);
			paths[v].len = 0;
		}
	close_lines(&l);
	return quota[false] && (!quota[true] || quota[false] < quota[true]) ? quota[false] : quota[true];
}
