// SPDX-License-Identifier: BSD-2-Clause
/*
 * What getopt_long found wrong, for people.  Options without a letter have numbers above 255, so that a
 * number below is that of a letter, which may stand amid others: then argv[optind - 1] is another word.
 */
#ifndef UPCALL_BASE_OPTION_H
#define UPCALL_BASE_OPTION_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* `found` is what getopt_long returned, ':' or '?'; `letters` what it was given, with ':' before the others. */
static inline const char *option_problem(int found, char **argv, const char *letters)
{
	static char text[256];
	const char *word = argv[optind - 1];
	bool is_letter = found == ':' ? word[1] != '-' : optopt < 0 || (optopt && optopt < 256 && !strchr(letters, optopt));
	char letter[] = { '-', optopt < 0 ? '?' : (char)optopt, 0 };
	const char *option = is_letter ? letter : word;

	if (found == ':')
		snprintf(text, sizeof(text), "%s wants a value", option);
	else
		snprintf(text, sizeof(text), "bad option '%s'", option);
	return text;
}

#endif
