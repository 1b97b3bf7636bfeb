// SPDX-License-Identifier: BSD-2-Clause
/*
 * upcalld: loads the programs of src/bpf into the kernel, and admits processes to them.
 *
 *   main.c     options, the loop, --status
 *   server.c   the socket: one message in, one out, and the connection is closed
 *   table.c    which processes are admitted, and the limits
 *   kernel.c   the programs and their maps
 *   scheduler.c  the scheduler, beside them
 *   share.c    how many processors each process is to use
 *
 * One thread, nothing that waits for a client.  What is loaded lives as long as the daemon: the kernel
 * takes it away when the daemon ends, however it ends, and clients notice by themselves (bpf/abi.h).
 * A client is told where its page is and cannot write it, so there is nothing of it to be believed but one
 * short message; with the scheduler, also its control page, which the programs read with that in mind (bpf/abi.h).
 */
#ifndef UPCALL_DAEMON_H
#define UPCALL_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../bpf/abi.h"

struct limits {
	unsigned processes;		/* all in all */
	unsigned per_user;		/* of one user other than root */
};

void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* main.c: calls fn(arg) whenever fd is readable or hung up, until unwatched. */
struct watch {
	void (*fn)(void *arg);
	void *arg;
	int fd;
};
int watch_add(struct watch *w);
void watch_remove(struct watch *w);

/* kernel.c: all return 0 or -errno. */
int kernel_load(bool is_verbose);
int kernel_load_scheduler(void);
unsigned kernel_sources(void);
/*
 * Makes maps by new_map, which returns a descriptor or -errno, for n indices of the map `outer`.  All or none.  It
 * waits until no program can be at one that was there (some 20 ms, however many).
 */
int kernel_make_maps(int outer, int (*new_map)(void), const unsigned *index, unsigned n, int *ret_fds);
int kernel_make_pages(const unsigned *index, unsigned n, int *ret_fds);	/* ret_fds[i] can only be read */
/* Page `index` is for the process that knows the token. */
int kernel_admit(unsigned index, uint64_t token);
void kernel_forget(uint64_t token);	/* no more registrations with it */
int kernel_drop_page(unsigned index);	/* waits as kernel_make_maps does */
void kernel_expel(unsigned index, uint64_t token);
uint32_t kernel_map_id(int map);	/* 0: not known */
int kernel_each_map(void (*fn)(uint32_t id));	/* of those that exist, in the whole system; 0 or -errno */

/* scheduler.c: uses the maps of kernel.c; 0 or -errno. */
int scheduler_load(int pages, int places);
bool scheduler_is_on(void);		/* loaded, and not thrown out by the kernel; says so once */
int scheduler_make_controls(const unsigned *index, unsigned n, int *ret_fds);	/* ret_fds[i] can be written */
/* The process to which control page `index` was given.  -ENOSPC, -EDQUOT: no vprocs are free, uid has its share. */
int scheduler_admit(unsigned index, uid_t uid);
void scheduler_expel(unsigned index);
bool scheduler_has_range(unsigned index);	/* of vprocs: it keeps it when it is expelled */
void scheduler_free_range(unsigned index);	/* once its page is gone */

/* table.c: admits a process, until it ends; *ret_fd is the caller's to close.  0 or -errno and why. */
void table_init(const struct limits *limits);
int table_admit(pid_t pid, uid_t uid, int pidfd, uint64_t *ret_token, int *ret_fd, char *why, size_t size);
int table_admit_to_scheduler(pid_t pid, int *ret_fd);
void table_make_ready(bool has_time);	/* entries for processes that are still to come */
void table_status(char *text, size_t size);

/* share.c: shares the processors out between processes that ask for it. */
void share_start(unsigned per_user, bool counts_others);
bool share_is_on(void);
int share_tick(void);			/* how many ms to the next one */
/* From now on until it ends; *ret_fd is the caller's to close.  Takes pidfd if it returns 0; or -errno. */
int share_admit(pid_t pid, uid_t uid, int pidfd, int *ret_fd);
void share_status(char *text, size_t size);

/* server.c */
void server_open(const char *path);
void server_close(void);
void server_tick(void);			/* once a second or so: connections that say nothing are dropped */

#endif
