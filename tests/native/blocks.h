/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of what becomes of a vproc whose thread blocks: a block that nobody announces, and threads that are made for a vproc. */
#ifndef NATIVE_BLOCKS_H
#define NATIVE_BLOCKS_H

#include "check.h"

#include <sys/syscall.h>
#include <time.h>

/* As a call that nobody wraps. */
static inline void raw_sleep(long ns)
{
	struct timespec t = { 0, ns };
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_nanosleep), "D"(&t), "S"(0L) : "rcx", "r11", "memory");
}

static inline upcall_t spawn_on(unsigned vproc, void *(*fn)(void *), void *arg)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	attr.flags = UPCALL_ON_VPROC;
	attr.vproc = vproc;
	CHECK_IS(upcall_create(&t, &attr, fn, arg), 0);
	return t;
}

#endif
