// SPDX-License-Identifier: BSD-2-Clause
/*
 * Waiting on futex words whose wakers are in the kernel: other processes, and libc's own code.
 *
 * One io_uring for the process, made when it is first needed.  A waiter submits a futex wait, which
 * the kernel queues among those of kernel threads, and parks; the completion, which the poller sees
 * as an event of the ring's descriptor, unparks it.  So nobody but the kernel decides who is woken,
 * and no kernel thread is held.
 *
 * A wait that ends otherwise (time, a signal, a cancellation) cancels the request and then waits for
 * its completion whatever it says: a wake-up may have come first, and then the wait was woken.  So
 * no wake-up is ever lost, and a request's memory, on the waiter's stack, is its own until then.
 *
 * The kernel cancels what a kernel thread submitted when that thread ends: the wait begins again.
 * Order:
 *   ring.done  completer: under the bucket's lock, result, is_done; waiter: under it, or acquire
 *   ring.sq    submitter: under sq_lock, fill, release tail -> kernel.  Whoever enters the kernel
 *              next submits all that is there.
 *   ring.cq    kernel: release tail -> reaper: under cq_lock, acquire tail, copy, release head
 */
#include <errno.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>

#include "../base/child.h"
#include "../sys/sys.h"
#include "../sys/probe.h"
#include "slot.h"

enum { SQ_ENTRIES = 256, CQ_ENTRIES = 4096, BATCH = 32 };
enum { OP_FUTEX_WAIT = 51, FUTEX2_U32 = 2 };		/* Linux 6.7 */
#define SETUP_SUBMIT_ALL (1u << 7)			/* 5.18 */
#define SETUP_NO_SQARRAY (1u << 16)			/* 6.6 */

enum ring_state { RING_UNKNOWN, RING_OPEN, RING_NONE };

/* A request to the kernel, of which headers know addr3 only since Linux 5.19. */
struct sqe {
	uint8_t opcode, flags;
	uint16_t priority;
	int32_t fd;
	uint64_t addr2, addr;
	uint32_t length, op_flags;
	uint64_t user_data;
	uint32_t buffer, file;
	uint64_t addr3, unused;
};
_Static_assert(sizeof(struct sqe) == sizeof(struct io_uring_sqe), "layout");

/* One wait; its address is the request's name. */
struct request {
	struct au32 is_done;
	int result;		/* 0: woken; -errno; valid when is_done */
};

static struct {
	struct au32 state;
	struct au32 fd;			/* -1 as all bits set */
	struct lock open_lock, sq_lock, cq_lock;
	char *rings;
	size_t rings_bytes, sqes_bytes;
	struct sqe *sqes;
	struct io_uring_cqe *cqes;
	struct au32 *sq_head, *sq_tail, *sq_flags, *cq_head, *cq_tail;
	uint32_t sq_mask, cq_mask;
} ring = { .fd = { -1u } };

static bool is_allowed = true;

void ring_configure(bool allowed)
{
	is_allowed = allowed;
}

int ring_fd(void)
{
	return (int)load_acquire(&ring.fd);
}

static bool is_error(const void *address)
{
	return (uintptr_t)address > (uintptr_t)-4096;
}

static void *map_ring(int fd, size_t bytes, uint64_t offset)
{
	return (void *)arch_syscall6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
				     fd, (long)offset);
}

static bool map_rings(int fd, const struct io_uring_params *p)
{
	size_t sq_bytes = p->sq_off.array, cq_bytes = p->cq_off.cqes + p->cq_entries * sizeof(*ring.cqes);

	ring.rings_bytes = sq_bytes > cq_bytes ? sq_bytes : cq_bytes;
	ring.sqes_bytes = p->sq_entries * sizeof(*ring.sqes);
	ring.rings = map_ring(fd, ring.rings_bytes, IORING_OFF_SQ_RING);
	if (is_error(ring.rings))
		return false;
	ring.sqes = map_ring(fd, ring.sqes_bytes, IORING_OFF_SQES);
	if (is_error(ring.sqes)) {
		sys_unmap(ring.rings, ring.rings_bytes);
		return false;
	}
	ring.sq_head = (struct au32 *)(ring.rings + p->sq_off.head);
	ring.sq_tail = (struct au32 *)(ring.rings + p->sq_off.tail);
	ring.sq_flags = (struct au32 *)(ring.rings + p->sq_off.flags);
	ring.cq_head = (struct au32 *)(ring.rings + p->cq_off.head);
	ring.cq_tail = (struct au32 *)(ring.rings + p->cq_off.tail);
	ring.cqes = (struct io_uring_cqe *)(ring.rings + p->cq_off.cqes);
	ring.sq_mask = p->sq_entries - 1;
	ring.cq_mask = p->cq_entries - 1;
	return true;
}

static void unmap_rings(void)
{
	sys_unmap(ring.sqes, ring.sqes_bytes);
	sys_unmap(ring.rings, ring.rings_bytes);
}

static int open_ring(void)
{
	struct io_uring_params p = {
		.flags = IORING_SETUP_CQSIZE | SETUP_SUBMIT_ALL | SETUP_NO_SQARRAY, .cq_entries = CQ_ENTRIES,
	};

	if (!is_allowed || load_relaxed(&sched_is_confined))
		return -1;
	int fd = (int)arch_syscall2(SYS_io_uring_setup, SQ_ENTRIES, (long)&p);

	if (fd < 0)
		return -1;
	fd = epoll_move_up(fd);
	if (probe_ring_futex(fd) == 0 && map_rings(fd, &p)) {
		store_release(&ring.fd, (uint32_t)fd);
		if (epoll_watch_ring(fd) == 0)
			return 0;
		store_release(&ring.fd, -1u);
		unmap_rings();
	}
	arch_syscall1(SYS_close, fd);
	return -1;
}

/* Who comes amid the opening waits for it: a wait without a ring holds a kernel thread. */
static COLD bool open_once(void)
{
	struct thread *me = rt_enter();

	lock_take(&ring.open_lock);
	if (load_relaxed(&ring.state) == RING_UNKNOWN)
		store_release(&ring.state, open_ring() == 0 ? RING_OPEN : RING_NONE);
	lock_drop(&ring.open_lock);
	rt_leave(me);
	return load_acquire(&ring.state) == RING_OPEN;
}

bool ring_is_open(void)
{
	uint32_t state = load_acquire(&ring.state);

	return likely(state == RING_OPEN) || (state == RING_UNKNOWN && open_once());
}

static long enter(unsigned submit, unsigned flags)
{
	return arch_syscall6(SYS_io_uring_enter, ring_fd(), submit, 0, flags, 0, 0);
}

/* False: no room. */
static bool queue(const struct sqe *sqe, uint32_t *ret_place)
{
	lock_take(&ring.sq_lock);
	uint32_t tail = load_relaxed(ring.sq_tail);	/* ours, under the lock */
	bool has_room = tail - load_acquire(ring.sq_head) <= ring.sq_mask;

	if (has_room) {
		ring.sqes[tail & ring.sq_mask] = *sqe;
		store_release(ring.sq_tail, tail + 1);	/* pairs: ring.sq */
		*ret_place = tail;
	}
	lock_drop(&ring.sq_lock);
	return has_room;
}

/* 0: the kernel has it.  -ENOSYS: the ring was closed, or is forbidden by now, and is of no more use. */
static int submit(const struct sqe *sqe)
{
	bool is_queued = false;
	uint32_t place;

	for (;;) {
		is_queued = is_queued || queue(sqe, &place);
		long n = enter(SQ_ENTRIES, 0);

		if (is_queued && (int32_t)(load_acquire(ring.sq_head) - place) > 0)
			return 0;
		if (n < 0 && n != -EAGAIN && n != -EINTR && n != -EBUSY)
			break;
		ring_reap();			/* it was full of completions, or memory is short */
		if (n < 0)
			sys_yield();
	}
	store_release(&ring.state, RING_NONE);
	return -ENOSYS;
}

static int complete(struct request *r, int result)
{
	struct bucket *b = lot_lock(r);
	struct thread *t = lot_take(b, r);

	r->result = result;
	store_release(&r->is_done, 1);		/* pairs: ring.done */
	lot_unlock(b);
	if (!t)
		return 0;
	unpark(t);
	return 1;
}

int ring_reap(void)
{
	struct { uint64_t name; int result; } seen[BATCH];
	int woken = 0;
	uint32_t n;

	if (ring_fd() < 0)
		return 0;
	do {
		lock_take(&ring.cq_lock);
		uint32_t head = load_relaxed(ring.cq_head);		/* ours, under the lock */
		uint32_t tail = load_acquire(ring.cq_tail);		/* pairs: ring.cq */

		for (n = 0; n < BATCH && head + n != tail; n++) {
			const struct io_uring_cqe *cqe = &ring.cqes[(head + n) & ring.cq_mask];

			seen[n].name = cqe->user_data;
			seen[n].result = cqe->res;
		}
		store_release(ring.cq_head, head + n);
		lock_drop(&ring.cq_lock);
		for (uint32_t i = 0; i < n; i++)
			if (seen[i].name)
				woken += complete((struct request *)(uintptr_t)seen[i].name, seen[i].result);
		/* What found no room waits in the kernel for this call. */
		if (unlikely(load_acquire(ring.sq_flags) & IORING_SQ_CQ_OVERFLOW) && n < BATCH)
			n = enter(0, IORING_ENTER_GETEVENTS) >= 0 ? BATCH : 0;
	} while (n == BATCH);
	return woken;
}

static enum wait_result park_on(struct thread *me, struct request *r, uint64_t deadline_ns, int flags)
{
	struct bucket *b = lot_begin(me, r, WAIT_FUTEX, flags);

	if (load_acquire(&r->is_done)) {	/* pairs: ring.done */
		lot_abort(me, b);
		return WAIT_WOKEN;
	}
	lot_queue(me, b);
	return lot_sleep(me, deadline_ns);
}

/* Until the request is done; a wait that ends before cancels it. */
static enum wait_result await(struct thread *me, struct request *r, uint64_t deadline_ns, int flags)
{
	struct sqe cancel = { .opcode = IORING_OP_ASYNC_CANCEL, .addr = (uintptr_t)r };
	enum wait_result why;

	do {		/* a wake of what had the request's address before is none of ours */
		why = park_on(me, r, deadline_ns, flags);
		if (load_acquire(&r->is_done))		/* pairs: ring.done */
			return why;
	} while (why == WAIT_WOKEN);
	if (submit(&cancel) == 0)
		ring_reap();
	while (!load_acquire(&r->is_done))
		park_on(me, r, NEVER, 0);
	return why;
}

static int result_of(enum wait_result why, int result)
{
	if (result != -ECANCELED)
		return result;
	int err = wait_error(why);

	return err ? err : -ERESTART;		/* its kernel thread has ended */
}

/*
 * A wait is submitted inside the runtime, where nobody may block for a page that is missing: so the kernel is asked for
 * the word first, by a call that moves none of its waiters.
 */
static int touch(const struct io_futex *f)
{
	int op = FUTEX_CMP_REQUEUE | (f->is_private ? FUTEX_PRIVATE_FLAG : 0);

	return (int)arch_syscall6(SYS_futex, (long)f->word, op, 0, 0, (long)f->word, f->value);
}

int io_futex_wait(const struct io_futex *f, uint64_t deadline_ns, int flags)
{
	int err;

	if (!ring_is_open())
		return -ENOSYS;
	err = touch(f);
	if (err < 0)
		return err;
	do {
		struct thread *me = rt_enter();
		struct request r = { 0 };
		struct sqe sqe = {
			.opcode = OP_FUTEX_WAIT, .fd = FUTEX2_U32 | (f->is_private ? FUTEX_PRIVATE_FLAG : 0),
			.addr = (uintptr_t)f->word, .addr2 = f->value, .addr3 = f->bits,
			.user_data = (uintptr_t)&r,
		};

		epoll_begin_wait(me);
		err = submit(&sqe);
		if (!err) {
			ring_reap();
			enum wait_result why = await(me, &r, deadline_ns, flags);

			err = result_of(why, r.result);
		}
		epoll_end_wait(me);
		rt_leave(me);
	} while (err == -ERESTART);
	return err;
}

/* The ring is the parent's. */
void ring_fork_child(bool shares_files)
{
	zero_in_child(&ring.state, sizeof(ring.state));
	lock_fork_child(&ring.open_lock);
	lock_fork_child(&ring.sq_lock);
	lock_fork_child(&ring.cq_lock);
	if (ring_fd() < 0)
		return;
	if (!shares_files)
		arch_syscall1(SYS_close, ring_fd());
	unmap_rings();
	store_relaxed(&ring.fd, -1u);
}
