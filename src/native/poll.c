// SPDX-License-Identifier: BSD-2-Clause
/*
 * Waiting for descriptors.  Before threads have started, and for more descriptors than the io room
 * takes at once, the kernel's own call waits.
 */
#include "../arch/arch.h"
#include "../base/clock.h"
#include "bound.h"
#include "io.h"

long native_ppoll(struct pollfd *fds, unsigned nfds, uint64_t deadline_ns)
{
	long n;

	do {
		uint64_t now = deadline_ns == NEVER || !deadline_ns ? 0 : now_ns();
		uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
		struct timespec ts = { (time_t)(left / NS_PER_S), (long)(left % NS_PER_S) };

		n = arch_syscall6(SYS_ppoll, (long)fds, nfds, deadline_ns == NEVER ? 0 : (long)&ts, 0, 8, 0);
	} while (n == -EINTR);
	return n;
}

/* That is told once. */
static bool is_cancelled(struct thread *me)
{
	return (load_relaxed(&me->pending) & PEND_CANCEL) &&
	       (fetch_and(&me->pending, ~(uint32_t)PEND_CANCEL) & PEND_CANCEL);
}

/*
 * The kernel's wait is ended by nothing of ours: a cancellation is looked for, less and less often, as whoever waits
 * long may be one of many; and first of all, as there may soon be something to be had, each time.
 */
static long kernel_wait(struct pollfd *fds, unsigned nfds, uint64_t deadline_ns)
{
	static const uint64_t longest_ns = 160 * NS_PER_MS;
	struct thread *me = thread_self();
	uint64_t step_ns = 5 * NS_PER_MS;

	for (;;) {
		uint64_t begin_ns = now_ns(), soon_ns = ns_after(begin_ns, step_ns);

		if (begin_ns < deadline_ns && is_cancelled(me))
			return -ECANCELED;
		long n = native_ppoll(fds, nfds, soon_ns < deadline_ns ? soon_ns : deadline_ns);

		if (n || soon_ns >= deadline_ns)
			return n;
		if (step_ns < longest_ns)
			step_ns *= 2;
	}
}

static long kernel_ppoll(struct pollfd *fds, unsigned nfds, uint64_t deadline_ns)
{
	return native_is_bound ? kernel_wait(fds, nfds, deadline_ns) :
				 NATIVE_BLOCK(kernel_wait(fds, nfds, deadline_ns));
}

/* What cannot be polled never makes anybody wait. */
int native_wait(int fd, enum io_dir dir, uint64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = dir == IO_READ ? POLLIN : POLLOUT };
	int err = -EPERM;

	if (sched_is_started && thread_self()->kind == THREAD_USER)	/* one of libc's may never have called us */
		while ((err = io_wait(fd, dir, deadline_ns)) == -EINTR)
			;
	if (err != -EPERM)
		return err;
	long n = kernel_ppoll(&p, 1, deadline_ns);

	return n < 0 ? (int)n : n ? 0 : -ETIMEDOUT;
}

/* 0: look again. */
static int wait_many(struct pollfd *fds, unsigned nfds, uint64_t deadline_ns)
{
	int err;

	do {
		err = io_wait_many(fds, (int)nfds, deadline_ns);
	} while (err == -EINTR);
	return err == -EAGAIN ? 0 : err;
}

int upcall_poll_until(struct pollfd *fds, unsigned nfds, uint64_t deadline_ns)
{
	long n;

	while ((n = native_ppoll(fds, nfds, 0)) == 0) {
		int err = -EPERM;

		if (sched_is_started && nfds <= (unsigned)io_poll_max(thread_self()))
			err = wait_many(fds, nfds, deadline_ns);
		if (err == -EPERM)
			return (int)kernel_ppoll(fds, nfds, deadline_ns);
		if (err)
			return err == -ETIMEDOUT ? 0 : err;
	}
	return (int)n;
}

int upcall_poll(struct pollfd *fds, unsigned nfds)
{
	return upcall_poll_until(fds, nfds, UPCALL_NEVER);
}
