// SPDX-License-Identifier: BSD-2-Clause
/* A process that confines itself (seccomp), all its threads at once. */
#ifndef CONFINE_H
#define CONFINE_H

#include "harness.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

/* By `n` instructions; where they say SECCOMP_RET_TRAP, `trapped` is called. */
static inline void confine_all(struct sock_filter *code, size_t n, void (*trapped)(int, siginfo_t *, void *))
{
	struct sock_fprog program = { (unsigned short)n, code };
	struct sigaction act = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER };

	CHECK_OK(sigaction(SIGSYS, &act, NULL));
	CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
		skip("no filter for all threads");
}

#endif
