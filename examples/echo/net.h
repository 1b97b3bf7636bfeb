// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the echo programs share: a loopback socket, a limit raised, a clock.  Nothing here knows of
 * Upcall: the servers are ordinary programs, so that both thread systems run the same binary.
 */
#ifndef ECHO_NET_H
#define ECHO_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Print "program: what: strerror" and exit 1; with errno 0, without the last part. */
_Noreturn void die(const char *what);

/* The value of `--name=N` if arg is that option and N lies in [low, high]; a bad N is fatal. */
bool option_number(const char *arg, const char *name, long low, long high, long *ret_value);

/* Let this process open as many descriptors as its hard limit allows. */
void raise_descriptor_limit(void);

/*
 * A socket that listens on 127.0.0.1.  Port 0 lets the kernel choose; the port is printed on stdout
 * as "listening on 127.0.0.1:PORT" so that a script can wait for the line.
 */
int listen_loopback(long port);

/* A blocking connection to 127.0.0.1:port without Nagle's delay, or -1 with errno. */
int connect_loopback(long port);

void set_nonblocking(int fd);
void set_nodelay(int fd);
uint64_t now_ns(void);

#endif
