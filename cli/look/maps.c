// SPDX-License-Identifier: BSD-2-Clause
#include "maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool add(struct maps *m, size_t *room, const struct mapped *one)
{
	if (m->n == *room) {
		*room = *room ? 2 * *room : 64;
		struct mapped *more = realloc(m->all, *room * sizeof(*more));

		if (!more)
			return false;
		m->all = more;
	}
	m->all[m->n++] = *one;
	return true;
}

int maps_read(struct maps *m, pid_t pid)
{
	char path[64], line[4400];
	size_t room = 0;

	*m = (struct maps){ 0 };
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "re");

	if (!f)
		return errno;
	while (fgets(line, sizeof(line), f)) {
		struct mapped one;
		unsigned major, minor;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %x:%x %" SCNu64, &one.start, &one.end, &major, &minor,
			   &one.inode) != 5 || !one.inode)
			continue;
		one.device = makedev(major, minor);
		if (!add(m, &room, &one))
			break;
	}
	fclose(f);
	return 0;
}

void maps_free(struct maps *m)
{
	free(m->all);
	*m = (struct maps){ 0 };
}

/* These tell of a file other devices, and some overlays other inodes, than maps does. */
static bool is_same(int fd, const struct mapped *m)
{
	struct stat st;
	struct statfs fs;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || fstatfs(fd, &fs))
		return false;
	return (unsigned)fs.f_type == OVERLAYFS_SUPER_MAGIC ||
	       (st.st_ino == m->inode && (st.st_dev == m->device || (unsigned)fs.f_type == BTRFS_SUPER_MAGIC));
}

/* Looked at before it is opened: a pipe would not let us go, a device would notice. */
static int open_if_same(const char *path, const struct mapped *m)
{
	char link[40];
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;

	if (place < 0)
		return -1;
	if (is_same(place, m)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
		fd = open(link, O_RDONLY | O_CLOEXEC);
	}
	close(place);
	return fd;
}

static int by_start(const void *a, const void *b)
{
	const struct mapped *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int maps_open(const struct maps *m, pid_t pid, uint64_t start, const char *name)
{
	char path[4500];
	struct mapped key = { .start = start };
	const struct mapped *found = m->n ? bsearch(&key, m->all, m->n, sizeof(key), by_start) : NULL;

	if (!found)
		return -1;
	/* As it is mapped, whatever became of its name: for root. */
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, found->start, found->end);
	int fd = open_if_same(path, found);

	if (fd < 0 && snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, name) < (int)sizeof(path))
		fd = open_if_same(path, found);
	return fd < 0 ? open_if_same(name, found) : fd;
}
