// SPDX-License-Identifier: BSD-2-Clause
/*
 * Other thread systems: each is a program that is called like those that measure pthreads (bench.h
 * in the folder of benchmarks), which a name in the folder `peers` there stands for, or a path.
 */
#include "bench.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cli.h"

static char *paths[PEERS_MAX];
static unsigned npeers, nasked;		/* asked: by --peers, they come first */

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The number of the peer that this program is, or npeers. */
static unsigned find(const char *path)
{
	unsigned i = 0;

	while (i < npeers && !is_same_file(paths[i], path))
		i++;
	return i;
}

/* By a system or a peer; `native` may be both, as they have no case in common. */
static bool is_taken(const char *name)
{
	for (int i = 0; i < SYSTEMS; i++)
		if (i != NATIVE && system_names[i] && !strcmp(system_names[i], name))
			return true;
	return false;
}

static void add(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (npeers == PEERS_MAX)
		die(EXIT_USAGE, "--peers takes %d peers at most", PEERS_MAX);
	if (!(paths[npeers] = strdup(path)))
		die(1, "out of memory");
	system_names[PEERS + npeers] = slash ? strrchr(paths[npeers], '/') + 1 : paths[npeers];
	npeers++;
}

/* One that --peers asks for: the same program again is no other system. */
static void ask(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	if (find(path) < npeers)
		return;
	if (is_taken(name))
		die(EXIT_USAGE, "--peers: there would be two systems '%s'", name);
	add(path);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_all(const char *folder)
{
	char path[4096 + 300], *names[PEERS_MAX];
	DIR *dir = opendir(folder);
	struct dirent *e;
	size_t n = 0;

	while (dir && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.' && is_program(path) && n < PEERS_MAX)
			names[n++] = strdup(path);
	}
	if (dir)
		closedir(dir);
	qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n; i++) {
		ask(names[i]);
		free(names[i]);
	}
}

void peers_find(const char *list)
{
	char folder[4096], here[4096], path[4096 + 256], *copy = strdup(list), *rest = copy, *word;

	if (!getcwd(here, sizeof(here)))
		*here = 0;
	snprintf(folder, sizeof(folder), "%s/peers", run_folder());
	while ((word = strsep(&rest, ","))) {
		if (!strcmp(word, "all")) {
			add_all(folder);
			continue;
		}
		/* A whole path: programs run in another folder. */
		const char *from = *word == '/' ? "" : strchr(word, '/') ? here : folder;

		snprintf(path, sizeof(path), "%s%s%s", from, *from ? "/" : "", word);
		if (!*word || !is_program(path))
			die(EXIT_USAGE, "no peer '%s' at %s%s", word, path,
			    strchr(word, '/') ? "" : ": tools/setup peers, meson setup --reconfigure (with -Dcargo_peers=true for tokio and may), make");
		ask(path);
	}
	free(copy);
	nasked = npeers;
}

unsigned peers_mask(void)
{
	return ((1u << nasked) - 1) << PEERS;
}

unsigned peers_add(const char *name)
{
	char path[4096 + 64];

	snprintf(path, sizeof(path), "%s/peers/%s", run_folder(), name);
	unsigned i = find(path);

	if (i == npeers) {
		if (npeers == PEERS_MAX || !is_program(path))
			return 0;
		add(path);
	}
	return 1u << (PEERS + i);
}

const char *peer_path(enum system system)
{
	return system >= PEERS && system < PEERS + npeers ? paths[system - PEERS] : NULL;
}
