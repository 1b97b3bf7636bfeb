// SPDX-License-Identifier: BSD-2-Clause
/* Conditions, for the C11 names. */
#ifndef UPCALL_POSIX_COND_H
#define UPCALL_POSIX_COND_H

#include <pthread.h>

#pragma GCC visibility push(hidden)
int posix_cond_signal(pthread_cond_t *c);
int posix_cond_broadcast(pthread_cond_t *c);
int posix_cond_destroy(pthread_cond_t *c);
/* until == NULL: no limit, on no clock. */
int posix_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until);
void cond_fork_child(void);
#pragma GCC visibility pop

#endif
