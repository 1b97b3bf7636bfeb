// SPDX-License-Identifier: BSD-2-Clause
#ifndef UPCALL_POSIX_ONCE_H
#define UPCALL_POSIX_ONCE_H

#include <pthread.h>

__attribute__((visibility("hidden"))) void posix_once(pthread_once_t *once, void (*routine)(void));

#endif
