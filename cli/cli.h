// SPDX-License-Identifier: BSD-2-Clause
/*
 * The `upcall` command: one file per subcommand, each a main() of its own that gets argv from the
 * subcommand's name on.  Messages for people are one line each, on standard error.
 */
#ifndef UPCALL_CLI_H
#define UPCALL_CLI_H

#include <stdbool.h>
#include <stddef.h>

/* What `upcall run` returns when the program could not be started; else the status is its own. */
enum { EXIT_OURS = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, EXIT_USAGE = 2 };

int run_main(int argc, char **argv);
int features_main(int argc, char **argv);
int look_main(int argc, char **argv);
int bench_main(int argc, char **argv);
int advise_main(int argc, char **argv);

/* The path of this command itself, without /proc too; false: not to be had. */
bool own_path(char *path, size_t size);

/* One line on standard error, "upcall: ...". */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, then the process ends with `status`. */
_Noreturn void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
