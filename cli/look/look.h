// SPDX-License-Identifier: BSD-2-Clause
/*
 * upcall-look: the subcommands that look into other processes.  A program of its own, so that
 * `upcall run` need not load elfutils: `upcall ps` and the others execute it.
 */
#ifndef UPCALL_LOOK_H
#define UPCALL_LOOK_H

#include "snapshot.h"

enum { LOOK_USAGE = 2 };

int ps_main(int argc, char **argv);
int stack_main(int argc, char **argv);
int stats_main(int argc, char **argv);
int top_main(int argc, char **argv);
int trace_main(int argc, char **argv);

void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A process id, or the end with a usage error that names the command. */
pid_t read_pid(const char *text, const char *command);
/* What people call the thread: its name, else the function that it began with. */
const char *thread_label(struct snapshot *s, const struct look_thread *t);
/* Calls fn with each process that has the library in it; returns how many. */
int each_process(void (*fn)(pid_t pid, void *arg), void *arg);

#endif
