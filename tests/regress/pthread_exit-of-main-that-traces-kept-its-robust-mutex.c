// SPDX-License-Identifier: BSD-2-Clause
// The same where main has a kernel thread of its own from the start, which ends in libc's way.
#include <sys/ptrace.h>

#define TRACES
#include "pthread_exit-of-main-kept-its-robust-mutex.c"
