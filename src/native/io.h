// SPDX-License-Identifier: BSD-2-Clause
/* Inside native/: waiting for a descriptor, whoever the caller is. */
#ifndef UPCALL_NATIVE_IO_H
#define UPCALL_NATIVE_IO_H

#include "../io/io.h"
#include "native.h"

#pragma GCC visibility push(hidden)
/* poll(2) in the kernel: a number, or -errno other than -EINTR. */
long native_ppoll(struct pollfd *fds, unsigned nfds, uint64_t deadline_ns);
/* 0: try again; -ETIMEDOUT, -ECANCELED, -EBADF. */
int native_wait(int fd, enum io_dir dir, uint64_t deadline_ns);
#pragma GCC visibility pop

/* Between the two the caller's vproc is free. */
#define NATIVE_BLOCK(call) \
	({ \
		struct thread *blocked_ = thread_self(); \
		sched_begin_block(blocked_); \
		long ret_ = (call); \
		sched_end_block(blocked_); \
		ret_; \
	})

#endif
