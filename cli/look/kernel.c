// SPDX-License-Identifier: BSD-2-Clause
#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
#include "syscall-names.h"
};

enum { NAMES = sizeof(names) / sizeof(names[0]) };

/* The file's beginning as a string; its length, or -1. */
static ssize_t read_file(char *buf, size_t size, const char *fmt, pid_t pid, int tid)
{
	char path[64];

	snprintf(path, sizeof(path), fmt, (int)pid, tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	ssize_t n = read(fd, buf, size - 1);

	close(fd);
	buf[n > 0 ? n : 0] = 0;
	return n;
}

void kernel_call(pid_t pid, int tid, struct kernel_call *c)
{
	char line[256];

	*c = (struct kernel_call){ .number = -1 };
	if (read_file(line, sizeof(line), "/proc/%d/task/%d/syscall", pid, tid) <= 0)
		return;
	c->is_known = true;
	if (!strncmp(line, "running", 7))
		return;
	c->is_blocked = true;
	if (line[0] == '-')
		sscanf(line, "%ld %" SCNx64 " %" SCNx64, &c->number, &c->sp, &c->pc);
	else
		sscanf(line, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
			     " %" SCNx64 " %" SCNx64, &c->number, &c->args[0], &c->args[1], &c->args[2],
		       &c->args[3], &c->args[4], &c->args[5], &c->sp, &c->pc);
}

void kernel_wait(pid_t pid, int tid, struct kernel_wait *w)
{
	char line[512];

	*w = (struct kernel_wait){ .state = '?' };
	/* The name may hold anything but a later parenthesis. */
	if (read_file(line, sizeof(line), "/proc/%d/task/%d/stat", pid, tid) > 0) {
		const char *after = strrchr(line, ')');

		if (after && after[1] == ' ')
			w->state = after[2];
	}
	if (read_file(w->function, sizeof(w->function), "/proc/%d/task/%d/wchan", pid, tid) <= 0 ||
	    !strcmp(w->function, "0"))
		w->function[0] = 0;
}

const char *kernel_call_name(long number)
{
	return number >= 0 && number < NAMES ? names[number] : NULL;
}

bool kernel_call_has_fd(const char *name)
{
	static const char *const with_fd[] = {
		"read", "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev", "preadv2",
		"pwritev2", "fsync", "fdatasync", "sync_file_range", "flock", "fcntl", "ioctl", "accept",
		"accept4", "connect", "recvfrom", "sendto", "recvmsg", "sendmsg", "recvmmsg", "sendmmsg",
		"epoll_wait", "epoll_pwait", "epoll_pwait2", "fallocate", "ftruncate", "sendfile", "splice",
		"getdents64", "fstat", "openat", "close", "lseek", "shutdown",
	};

	for (size_t i = 0; name && i < sizeof(with_fd) / sizeof(with_fd[0]); i++)
		if (!strcmp(with_fd[i], name))
			return true;
	return false;
}

uint64_t kernel_cpu_ns(pid_t pid, int tid)
{
	char line[128];
	uint64_t ns;

	if (read_file(line, sizeof(line), "/proc/%d/task/%d/schedstat", pid, tid) <= 0 ||
	    sscanf(line, "%" SCNu64, &ns) != 1)
		return UINT64_MAX;
	return ns;
}

static bool put_address(char *buf, size_t size, const char *text, bool is_v6)
{
	unsigned a[4], port;

	if (is_v6) {
		if (sscanf(text, "%8x%8x%8x%8x:%x", &a[0], &a[1], &a[2], &a[3], &port) != 5)
			return false;
		/* Only what IPv4 looks like in IPv6, and the two special ones, are worth their length. */
		if (!a[0] && !a[1] && a[2] == 0xffff0000u)
			a[0] = a[3];
		else
			return snprintf(buf, size, "[%s]:%u", !a[0] && !a[1] && !a[2] ? a[3] ? "::1" : "::" : "...",
					port) > 0;
	} else if (sscanf(text, "%8x:%x", &a[0], &port) != 2) {
		return false;
	}
	return snprintf(buf, size, "%u.%u.%u.%u:%u", a[0] & 255, a[0] >> 8 & 255, a[0] >> 16 & 255,
			a[0] >> 24, port) > 0;
}

/*
 * The names of all sockets of the process's network, read at once: looking for each by itself would
 * read the whole table for every thread that waits.
 */
struct socket {
	unsigned long inode;
	char name[112];
};

static struct {
	pid_t pid;		/* 0: not read yet */
	struct socket *all;	/* by inode */
	size_t n, room;
} sockets;

static void add_socket(unsigned long inode, const char *name)
{
	if (sockets.n == sockets.room) {
		size_t room = sockets.room ? 2 * sockets.room : 256;
		struct socket *more = realloc(sockets.all, room * sizeof(*more));

		if (!more)
			return;		/* it will have a number only */
		sockets.all = more;
		sockets.room = room;
	}
	sockets.all[sockets.n].inode = inode;
	snprintf(sockets.all[sockets.n++].name, sizeof(sockets.all[0].name), "%.111s", name);
}

static void read_inet(pid_t pid, const char *table)
{
	char path[64], line[512], local[80], remote[80], from[64], to[64], name[160];
	bool is_v6 = table[strlen(table) - 1] == '6';
	unsigned long inode;
	unsigned state;

	snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)pid, table);
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, " %*d: %79s %79s %x %*s %*s %*s %*s %*s %lu", local, remote, &state, &inode) != 4 ||
		    !put_address(from, sizeof(from), local, is_v6) || !put_address(to, sizeof(to), remote, is_v6))
			continue;
		snprintf(name, sizeof(name), state == 10 ? "%.3s %s, listening" : "%.3s %s, peer %s", table, from, to);
		add_socket(inode, name);
	}
	if (f)
		fclose(f);
}

/* "unix /run/db.sock", or "unix" for one without a name. */
static void read_unix(pid_t pid)
{
	char path[64], line[512], where[100], name[112];
	unsigned long inode;

	snprintf(path, sizeof(path), "/proc/%d/net/unix", (int)pid);
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f)) {
		int n = sscanf(line, "%*s %*s %*s %*s %*s %*s %lu %99s", &inode, where);

		if (n < 1)
			continue;
		snprintf(name, sizeof(name), n == 2 ? "unix %s" : "unix", where);
		add_socket(inode, name);
	}
	if (f)
		fclose(f);
}

static int by_inode(const void *a, const void *b)
{
	const struct socket *x = a, *y = b;

	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static void read_sockets(pid_t pid)
{
	static const char *const tables[] = { "tcp", "tcp6", "udp", "udp6" };

	sockets.n = 0;
	sockets.pid = pid;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		read_inet(pid, tables[i]);
	read_unix(pid);
	if (sockets.n)
		qsort(sockets.all, sockets.n, sizeof(*sockets.all), by_inode);
}

void kernel_forget_sockets(void)
{
	sockets.pid = 0;
}

void kernel_fd_name(pid_t pid, int fd, char *buf, size_t size)
{
	char path[64];
	struct socket key;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	ssize_t n = readlink(path, buf, size - 1);

	buf[n > 0 ? n : 0] = 0;
	if (sscanf(buf, "socket:[%lu]", &key.inode) != 1)
		return;
	if (sockets.pid != pid)
		read_sockets(pid);
	const struct socket *found = sockets.n ? bsearch(&key, sockets.all, sockets.n, sizeof(key), by_inode) : NULL;

	if (found)
		snprintf(buf, size, "%s", found->name);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int kernel_tasks(pid_t pid, int *tids, int room)
{
	char path[64];
	struct dirent *e;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);

	if (!d)
		return -1;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && n < room)
			tids[n++] = atoi(e->d_name);
	closedir(d);
	qsort(tids, (size_t)n, sizeof(*tids), by_number);
	return n;
}

struct tid_pair {
	int there, here;
};

static struct {
	pid_t pid;			/* whose; 0: nobody's */
	bool is_again;			/* it was read once more, for one that was not there */
	struct tid_pair *all;
	size_t n;			/* 0: both are the same */
} names_of_tasks;

void kernel_forget_tids(void)
{
	free(names_of_tasks.all);
	memset(&names_of_tasks, 0, sizeof(names_of_tasks));
}

/* How many names its task has, from here to where it lives: the first and the last. */
static int read_pair(pid_t pid, int tid, struct tid_pair *p)
{
	char text[4096], *at, *end;
	int n = 0;

	if (read_file(text, sizeof(text), "/proc/%d/task/%d/status", pid, tid) <= 0 || !(at = strstr(text, "\nNSpid:")))
		return 0;
	for (at += 7;; at = end, n++) {
		long number = strtol(at, &end, 10);

		if (end == at || memchr(at, '\n', (size_t)(end - at)))
			return n;
		p->there = (int)number;
		if (!n)
			p->here = (int)number;
	}
}

static void read_pairs(pid_t pid)
{
	enum { TASKS_MAX = 1 << 16 };
	struct tid_pair p;
	int *tasks, n;

	kernel_forget_tids();
	names_of_tasks.pid = pid;
	if (read_pair(pid, pid, &p) < 2 || !(tasks = malloc(TASKS_MAX * sizeof(*tasks))))
		return;
	n = kernel_tasks(pid, tasks, TASKS_MAX);
	names_of_tasks.all = n > 0 ? malloc((size_t)n * sizeof(p)) : NULL;
	for (int i = 0; i < n && names_of_tasks.all; i++)
		if (read_pair(pid, tasks[i], &p) > 1)
			names_of_tasks.all[names_of_tasks.n++] = p;
	free(tasks);
}

int kernel_tid_here(pid_t pid, int there)
{
	if (!pid || !there)
		return there;
	if (names_of_tasks.pid != pid)
		read_pairs(pid);
	for (;;) {
		for (size_t i = 0; i < names_of_tasks.n; i++)
			if (names_of_tasks.all[i].there == there)
				return names_of_tasks.all[i].here;
		if (!names_of_tasks.n || names_of_tasks.is_again)
			return there;
		read_pairs(pid);
		names_of_tasks.is_again = true;
	}
}

int kernel_tid_there(pid_t pid, int here)
{
	if (pid && names_of_tasks.pid != pid)
		read_pairs(pid);
	for (size_t i = 0; pid && i < names_of_tasks.n; i++)
		if (names_of_tasks.all[i].here == here)
			return names_of_tasks.all[i].there;
	return here;
}

bool kernel_has_task(pid_t pid, int tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, tid);
	return tid > 0 && access(path, F_OK) == 0;
}

void kernel_task_name(pid_t pid, int tid, char *buf, size_t size)
{
	char name[32];		/* with a newline at its end, which buf may have no room for */

	if (read_file(name, sizeof(name), "/proc/%d/task/%d/comm", pid, tid) < 0)	/* it has ended */
		*name = 0;
	name[strcspn(name, "\n")] = 0;
	snprintf(buf, size, "%s", name);
}
