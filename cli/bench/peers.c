// SPDX-License-Identifier: BSD-2-Clause
/*
 * Other thread systems: each is a program that is called like those that measure pthreads (bench.h
 * in the folder of benchmarks), which a name in the folder `peers` there stands for, or a path.
 */
#include "bench.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli.h"

static char *paths[PEERS_MAX];
static unsigned npeers, nasked;		/* asked: by --peers, they come first */

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
		if (e->d_type != DT_DIR && e->d_name[0] != '.' && !access(path, X_OK) && n < PEERS_MAX)
			names[n++] = strdup(path);
	}
	if (dir)
		closedir(dir);
	qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n; i++) {
		add(names[i]);
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
		if (!*word || access(path, X_OK))
			die(EXIT_USAGE, "no peer '%s' in %s", word, folder);
		add(path);
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
	unsigned i;

	snprintf(path, sizeof(path), "%s/peers/%s", run_folder(), name);
	for (i = 0; i < npeers && strcmp(paths[i], path); i++)
		;
	if (i == npeers) {
		if (npeers == PEERS_MAX || access(path, X_OK))
			return 0;
		add(path);
	}
	return 1u << (PEERS + i);
}

const char *peer_path(enum system system)
{
	return system >= PEERS && system < PEERS + npeers ? paths[system - PEERS] : NULL;
}
