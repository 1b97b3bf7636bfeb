/* SPDX-License-Identifier: BSD-2-Clause */
/* A block in the kernel that no library knows of. */
#ifndef POSIX_UNSEEN_H
#define POSIX_UNSEEN_H

#include "harness.h"

#include <sys/syscall.h>

/* By a bare system call. */
static inline void block_for(long ns)
{
#ifdef __x86_64__
	struct timespec left = { 0, ns };
	long ret;

	do
		__asm__ volatile("syscall" : "=a"(ret) : "0"(SYS_nanosleep), "D"(&left), "S"(&left) : "rcx", "r11", "memory");
	while (ret == -EINTR);
#else
	sleep_ms(ns / 1000000);
#endif
}

#endif
