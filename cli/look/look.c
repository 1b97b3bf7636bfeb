// SPDX-License-Identifier: BSD-2-Clause
#include "look.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static void vsay(const char *fmt, va_list ap)
{
	char line[1024];

	fflush(stdout);
	vsnprintf(line, sizeof(line), fmt, ap);
	text_clean(line);
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

pid_t read_pid(const char *text, const char *command)
{
	char *end;

	errno = 0;
	long pid = strtol(text, &end, 10);

	if (errno || *end || end == text || pid < 1 || pid > INT32_MAX)
		die(LOOK_USAGE, "'%s' is no process id; see upcall %s --help", text, command);
	return (pid_t)pid;
}

const char *thread_label(struct snapshot *s, const struct look_thread *t)
{
	static char label[256];
	const char *symbol = target_symbol(s->target, t->start);
	size_t len = strlen(symbol);

	if (t->id == 1)
		return "main";
	/* A thread that nobody gave a name has the program's, as on kernel threads. */
	if (t->name[0] && (!*symbol || strncmp(t->name, s->target->command, sizeof(t->name) - 1) != 0))
		return t->name;
	if (!*symbol)
		return "-";
	/* A crowd of threads mostly began with the same one. */
	if (strncmp(label, symbol, len) || strcmp(label + len, "()") != 0)
		snprintf(label, sizeof(label), "%s()", symbol);
	return label;
}

int each_process(void (*fn)(pid_t pid, void *arg), void *arg)
{
	struct dirent *e;
	DIR *d = opendir("/proc");
	int n = 0;

	if (!d)
		die(1, "/proc: %s", strerror(errno));
	while ((e = readdir(d))) {
		pid_t pid = (pid_t)atoi(e->d_name);

		if (pid > 0 && pid_has_library(pid)) {
			fn(pid, arg);
			n++;
		}
	}
	closedir(d);
	return n;
}

static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		perror("upcall: standard output");
		return status ? status : 1;
	}
	return status;
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	if (argc > 1 && !strcmp(argv[1], "ps"))
		return finish(ps_main(argc - 1, argv + 1));
	if (argc > 1 && !strcmp(argv[1], "stack"))
		return finish(stack_main(argc - 1, argv + 1));
	if (argc > 1 && !strcmp(argv[1], "stats"))
		return finish(stats_main(argc - 1, argv + 1));
	if (argc > 1 && !strcmp(argv[1], "top"))
		return finish(top_main(argc - 1, argv + 1));
	if (argc > 1 && !strcmp(argv[1], "trace"))
		return finish(trace_main(argc - 1, argv + 1));
	die(LOOK_USAGE, "upcall-look is part of upcall; see upcall --help");
}
