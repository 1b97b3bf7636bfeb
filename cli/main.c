// SPDX-License-Identifier: BSD-2-Clause
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "run", run_main, "run a program on user-level threads" },
	{ "features", features_main, "what this kernel offers, what is in use, and why" },
	{ "ps", look_main, "what the threads of running programs do and wait for" },
	{ "stack", look_main, "their call stacks, also from a core file" },
	{ "stats", look_main, "their counters" },
	{ "top", look_main, "what they do now, live" },
	{ "trace", look_main, "record what the threads do: a file for a viewer, a picture, sums" },
	{ "bench", bench_main, "the same programs on glibc's threads and on these, with ratios" },
	{ "advise", advise_main, "what threads, or these threads, would save a program" },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void vsay(const char *fmt, va_list ap)
{
	char line[1024];

	vsnprintf(line, sizeof(line), fmt, ap);
	fprintf(stderr, "upcall: %s\n", line);
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

void die(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
	exit(status);
}

bool own_path(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	if (n > 0) {
		path[n] = 0;
		return true;
	}
	char *real = realpath((const char *)getauxval(AT_EXECFN), NULL);

	n = snprintf(path, size, "%s", real ? real : "");
	free(real);
	return n > 0 && (size_t)n < size;
}

static void help(void)
{
	puts("usage: upcall COMMAND [OPTIONS]\n"
	     "\n"
	     "User-level threads for unmodified pthreads programs.\n");
	for (size_t i = 0; i < COUNT(commands); i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	puts("\n"
	     "`upcall COMMAND --help` says more; so do the manual pages: man upcall.\n"
	     "`upcall --version` says which this is.");
}

/* Output that could not be written is a failure, not a success. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		perror("upcall: standard output");
		return status ? status : 1;
	}
	return status;
}

static int run_command(int argc, char **argv)
{
	for (size_t i = 0; i < COUNT(commands); i++)
		if (!strcmp(argv[0], commands[i].name))
			return finish(commands[i].main(argc, argv));
	die(EXIT_USAGE, "unknown command '%s'; see upcall --help", argv[0]);
}

int main(int argc, char **argv)
{
	static char option[] = "--help";

	if (argc < 2)
		die(EXIT_USAGE, "no command given; see upcall --help");
	if (argc > 2 && !strcmp(argv[1], "help"))
		return run_command(2, (char *[]){ argv[2], option, NULL });
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help();
		return finish(0);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("upcall " UPCALL_VERSION);
		return finish(0);
	}
	return run_command(argc - 1, argv + 1);
}
