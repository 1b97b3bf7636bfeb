// SPDX-License-Identifier: BSD-2-Clause
/*
 * A memory control group for what is measured with less memory than it wants.  It is made below the
 * group of this command, whose limits go on to hold; version 2 allows groups with processes no groups
 * with limits below them, so there it is made beside, below the nearest one that may have such.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static char group[2 * PATH_BYTES + 64];		/* "": none was made */

static bool has_word(const char *list, const char *word, char separator)
{
	size_t n = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == separator || at[-1] == ' ') &&
		    (at[n] == separator || at[n] == ' ' || at[n] == '\n' || !at[n]))
			return true;
	return false;
}

/* Where groups of this version are mounted. */
static bool find_mount(bool is_v2, char *ret_path)
{
	FILE *file = fopen("/proc/self/mountinfo", "r");
	char line[2 * PATH_BYTES], path[PATH_BYTES];
	bool is_found = false;

	while (file && !is_found && fgets(line, sizeof(line), file)) {
		char *rest = strstr(line, " - ");

		if (!rest || sscanf(line, "%*s %*s %*s %*s %4095s", path) != 1)
			continue;
		is_found = is_v2 ? !strncmp(rest, " - cgroup2 ", 11)
				 : !strncmp(rest, " - cgroup ", 10) && has_word(rest + 10, "memory", ',');
	}
	if (file)
		fclose(file);
	if (is_found)
		strcpy(ret_path, path);
	return is_found;
}

/* This command's group, from lines NUMBER:CONTROLLERS:PATH; "" where it is not to be seen. */
static void find_own(bool is_v2, char *ret_path)
{
	FILE *file = fopen("/proc/self/cgroup", "r");
	char line[PATH_BYTES];

	*ret_path = 0;
	while (file && fgets(line, sizeof(line), file)) {
		char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = 0;
		if (is_v2 ? !strncmp(line, "0:", 2) && !controllers[1] : has_word(controllers + 1, "memory", ','))
			strcpy(ret_path, path);
	}
	if (file)
		fclose(file);
	ret_path[strcspn(ret_path, "\n")] = 0;
}

static bool write_to(const char *name, const char *text)
{
	char path[sizeof(group) + 64];

	snprintf(path, sizeof(path), "%s/%s", group, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return is_ok;
}

static bool make(const char *above, const char *file, size_t bytes)
{
	char text[32];

	snprintf(group, sizeof(group), "%s/upcall-bench-%d", above, (int)getpid());
	snprintf(text, sizeof(text), "%zu", bytes);
	if (mkdir(group, 0755) == 0) {
		if (write_to(file, text))
			return true;
		rmdir(group);
	}
	group[0] = 0;
	return false;
}

static bool may_have_limits_below(const char *path)
{
	char name[2 * PATH_BYTES + 64], line[256] = "";

	snprintf(name, sizeof(name), "%s/cgroup.subtree_control", path);
	FILE *file = fopen(name, "r");

	if (!file)
		return false;
	bool is_ok = fgets(line, sizeof(line), file) && has_word(line, "memory", ' ');

	fclose(file);
	return is_ok;
}

static bool make_v1(size_t bytes)
{
	char mount[PATH_BYTES], own[PATH_BYTES], path[2 * PATH_BYTES];

	if (!find_mount(false, mount))
		return false;
	find_own(false, own);
	snprintf(path, sizeof(path), "%s%s", mount, own);
	if (access(path, X_OK))		/* in a container the mount shows our own group */
		strcpy(path, mount);
	return make(path, "memory.limit_in_bytes", bytes);
}

static bool make_v2(size_t bytes)
{
	char mount[PATH_BYTES], own[PATH_BYTES], path[2 * PATH_BYTES];

	if (!find_mount(true, mount))
		return false;
	find_own(true, own);
	snprintf(path, sizeof(path), "%s%s", mount, own);
	while (strlen(path) > strlen(mount) && !may_have_limits_below(path))
		*strrchr(path, '/') = 0;
	return make(path, "memory.max", bytes);
}

bool limit_make(size_t bytes)
{
	return make_v1(bytes) || make_v2(bytes);
}

bool limit_enter(void)
{
	return write_to("cgroup.procs", "0");
}

void limit_remove(void)
{
	/* The kernel may not be done yet with who ended last. */
	for (int i = 0; group[0] && rmdir(group) && errno == EBUSY && i < 100; i++)
		usleep(10000);
	group[0] = 0;
}
