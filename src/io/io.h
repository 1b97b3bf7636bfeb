// SPDX-License-Identifier: BSD-2-Clause
/*
 * Waiting for descriptors and for time.
 *
 * io_wait parks the calling thread until the descriptor may be ready, so that the caller tries its
 * call again.  One edge-triggered epoll instance watches every descriptor that was ever waited for,
 * added once; so a wait costs no system call.  What edges leave to us is to remember what they said.
 *
 * Each direction of a descriptor has a word, TRY or EMPTY:
 *   TRY    there may be something: a call is worth making.  The state of a new descriptor.
 *   EMPTY  nothing to be had: a thread may park at once.  Either somebody found it so after he had
 *          written EMPTY, or he is finding out just now (he *holds the token*).
 * An event wakes the first waiter, who then holds the token, or else makes the word TRY.  Whoever
 * finds TRY may take the token by making it EMPTY (io_take, io_wait).  Whoever holds it makes his
 * call, and unless that proved that nothing is left gives it on: io_put wakes the next waiter or
 * makes the word TRY.  To put without holding is harmless: it costs somebody a vain try.
 *
 * So a thread that reads its stream short knows that it is empty, and its next read parks without
 * a system call: a thread for each connection costs what an epoll loop does.  (A stream only: a
 * datagram or a message boundary says nothing about what comes after it.)  After an end, an error
 * or urgent data was seen on a descriptor (`sticky`), the first try is never skipped; nor is it on a
 * pipe that this process has not made, which others may write packets to, as only they can see.
 *
 * A generation per descriptor, bumped by close and dup2, makes late events and stale waiters
 * harmless.  Rejected: one-shot registration, a system call for each wait; O_NONBLOCK on the
 * program's descriptors, which other processes share.
 */
#ifndef UPCALL_IO_H
#define UPCALL_IO_H

#include <poll.h>

#include "../sched/sched.h"

enum io_dir { IO_READ, IO_WRITE };

/* What kind of file a descriptor is: the higher rooms' memory of it, forgotten with the slot. */
enum io_type {
	IO_UNKNOWN,
	IO_FILE,	/* regular file, directory, block device: never polled */
	IO_PIPE,
	IO_CHAR,	/* terminals, devices, eventfd and the like */
	IO_SOCKET,	/* some socket, not looked at closer */
	IO_TCP,
	IO_LOCAL,	/* a stream socket of AF_UNIX */
	IO_STREAM,	/* another stream socket */
	IO_MESSAGE,	/* datagrams */
	IO_SEQPACKET,
};

/* Notes on a descriptor that last until it is closed. */
enum io_note {
	IO_NONBLOCK = 1,	/* it was seen with O_NONBLOCK set: see io_is_nonblocking */
	IO_NO_NOWAIT_READ = 2,	/* RWF_NOWAIT is refused */
	IO_NO_NOWAIT_WRITE = 4,
	IO_KNOWS_RCVTIMEO = 8,	/* io_timeout is what SO_RCVTIMEO says */
	IO_KNOWS_SNDTIMEO = 16,
	IO_WAITED = 32,		/* who read it last blocked in the kernel */
	IO_NO_TTY = 64,		/* it is no terminal */
	IO_LISTENS = 128,	/* it did, and once it does not, its poll says so */
};

/* All that is remembered of a descriptor, in one word; 0: nothing. */
enum {
	IO_KNOWN_STICKY = 1 << 1,	/* no short read of it proves anything */
	IO_KNOWN_TYPE_SHIFT = 8,	/* 4 bits: enum io_type */
	IO_KNOWN_TYPE_MASK = 15 << IO_KNOWN_TYPE_SHIFT,
	IO_KNOWN_NOTES_SHIFT = 16,	/* 8 bits: enum io_note */
};

static inline enum io_type io_type_in(uint32_t known)
{
	return (known & IO_KNOWN_TYPE_MASK) >> IO_KNOWN_TYPE_SHIFT;
}

static inline uint32_t io_notes_in(uint32_t known)
{
	return known >> IO_KNOWN_NOTES_SHIFT;
}

#pragma GCC visibility push(hidden)

/*
 * Outside the runtime.  0: try again, holding the token; -ETIMEDOUT; -EINTR (a signal came);
 * -ECANCELED (act on the cancellation); -EBADF: closed meanwhile; -EPERM: this descriptor cannot
 * be polled (a regular file), or the caller has been bound since it first asked: block in the kernel.
 */
int io_wait(int fd, enum io_dir dir, uint64_t deadline_ns);
/* Before a first try: */
enum io_taken {
	IO_EMPTY,	/* known to be empty: wait at once */
	IO_UNWATCHED,	/* try; there is no token to hold */
	IO_TOKEN,	/* try; the caller holds the token */
};
enum io_taken io_take(int fd, enum io_dir dir);
void io_put(int fd, enum io_dir dir);
/*
 * Parks until one of n descriptors may be ready for what `events` asks.  0: look again; -EAGAIN:
 * some are ready now, `fds` tells; else as io_wait.  n is at most io_poll_max().
 */
int io_wait_many(struct pollfd *fds, int n, uint64_t deadline_ns);
/* For how many the caller's stack has room, its own two copies of `fds` included. */
int io_poll_max(const struct thread *me);

/*
 * Of the threads that take what a descriptor has to give by a call that may block, one at a time looks whether there is
 * something, and makes the call.  0: it is the caller's turn, until io_turn_end; IO_NO_TURN: go on, it was already, and a
 * handler has come in between (or there is no memory); -ETIMEDOUT; -ECANCELED; -EBADF: closed meanwhile.
 */
enum { IO_NO_TURN = 1 };
int io_turn_begin(int fd, enum io_dir dir, uint64_t deadline_ns);
void io_turn_end(int fd, enum io_dir dir);
void io_turns_fork_child(void);

/*
 * Somewhere in the process, whatever descriptor it was asked of, a pipe was made one of packets, or a connection one of
 * records: no short read of any is a proof any more that nothing is left.
 */
enum { IO_DOUBT_PIPE = 1 << IO_PIPE, IO_DOUBT_TCP = 1 << IO_TCP };
extern struct au32 io_doubts;
static inline bool io_doubts_type(enum io_type type)
{
	return load_relaxed(&io_doubts) & (1u << type);		/* set before there can be such a read */
}

uint32_t io_known(int fd);
static inline enum io_type io_type(int fd)		/* as far as it is known */
{
	return io_type_in(io_known(fd));
}
enum io_type fd_type(int fd);		/* finds out whether it is a socket, a pipe, a file, */
enum io_type fd_socket_type(int fd);	/* and which kind of socket */
void io_set_type(int fd, enum io_type type);
/* The program has just made a pipe, of which this is the end to read from, that is not one of packets. */
void fd_made_pipe(int fd);
/*
 * What threads pass to each other by pipes of this process's own, where one vproc runs all of them; with more the waits would
 * go on on several, which takes longer.  Outside the runtime.
 * Before a read: if such reads would have waited lately, others have their turn first, who may write what it wants.  True: none
 * has, and io_note_try is to say how the first try goes.
 */
bool io_give_turn(struct thread *me, int fd);
void io_note_try(int fd, bool was_vain);
/* After a write: whoever waits for the other end is told, before the poller hears of it. */
void io_tell_reader(int fd);
/* Is its event gone once poll has told it?  So it is for several files of /proc, and where overflows are counted. */
bool fd_poll_takes(int fd);
extern uint32_t io_notes_of_all;	/* what holds of each descriptor, since load */
void io_allow_nowait(bool is_allowed);	/* at load: may RWF_NOWAIT be asked for? */
static inline uint32_t io_notes(int fd)
{
	return io_notes_in(io_known(fd)) | io_notes_of_all;
}
/* May a short read be taken as a proof of emptiness?  Not after an end, an error, urgent data. */
static inline bool io_is_sticky(int fd)
{
	return io_known(fd) & IO_KNOWN_STICKY;
}
void io_note(int fd, uint32_t set, uint32_t clear);
/*
 * Known to be without O_NONBLOCK, or with it.  The flag belongs to the description, which other descriptors
 * share: setting it anywhere in the process makes all of the first unknown again, taking it back all of the second.
 */
bool io_is_blocking(int fd);
bool io_mode_stands(int fd);		/* the note IO_NONBLOCK does */
static inline bool io_is_nonblocking(int fd, uint32_t known)
{
	return unlikely(io_notes_in(known) & IO_NONBLOCK) && io_mode_stands(fd);
}
uint32_t io_mode_epoch(bool is_nonblocking);		/* of that knowledge, before the kernel is asked */
void io_note_mode(int fd, bool is_nonblocking, uint32_t epoch);
void io_mode_changed(bool is_nonblocking);		/* so it is now */
/* Known to be a socket without O_NONBLOCK and with no time limit. */
bool io_waits_plainly(int fd, enum io_dir dir);
uint64_t io_timeout(int fd, enum io_dir dir);	/* ns, NEVER: none */
uint32_t io_timeout_epoch(void);
void io_set_timeout(int fd, enum io_dir dir, uint64_t timeout_ns, uint32_t epoch);
void io_timeout_changed(int fd, enum io_dir dir);

/*
 * The descriptor is being closed or replaced: its waiters try again (and get EBADF).  From io_close_begin to
 * io_close_end, the kernel's call between them, it is not watched anew: who would waits, and for what is there then.
 */
void io_forget(int fd);
void io_close_begin(int fd);
void io_close_end(int fd);
/* Waits for it are the kernel's from now on.  False: they were. */
bool io_never_watch(int fd);
void io_watch_again(int fd);
bool io_is_never_watched(int fd);
/*
 * The program's epoll instance was refused a descriptor: what leads from there to ours, in which it is, may be a path too
 * many, or too long.  True: it is not in ours any more; *ret_is_news: and waits for it were not the kernel's.
 */
bool io_let_go_instance(int ep, bool *ret_is_news);
void io_forget_range(unsigned from, unsigned to);
/* fd was just made: whatever is remembered of its number is of a file that went without a word. */
void io_fresh(int fd, enum io_type type);
/* Parks until deadline_ns: 0, or -EINTR, or -ECANCELED. */
int io_sleep(uint64_t deadline_ns);
/*
 * Waits on a futex word among the kernel's own waiters, holding no kernel thread: for words that other
 * processes, or libc itself, wake.  0: woken; -EAGAIN: the word had another value; -ETIMEDOUT, -EINTR
 * and (if flags, those of lot_begin, allow it) -ECANCELED; the kernel's errors; -ENOSYS: there is no
 * io_uring that can do it, block in the kernel.  Outside the runtime.
 */
struct io_futex {
	const void *word;
	uint32_t value, bits;
	bool is_private;
};
int io_futex_wait(const struct io_futex *f, uint64_t deadline_ns, int flags);
bool ring_is_open(void);		/* it is opened if it can be */
void ring_configure(bool is_allowed);	/* at load */

/*
 * Parks until one of the signals in `set`, which the caller blocks, may be pending for the process.  0: take it
 * from the kernel, without waiting, and then call io_signals_pass_on; -ETIMEDOUT, -EINTR, -ECANCELED as io_wait;
 * -EPERM: there is no signalfd, block in the kernel.  Outside the runtime.
 */
int io_wait_signals(uint64_t set, uint64_t deadline_ns);
void io_signals_pass_on(void);

/* Does any thread wait for a descriptor, or for a signal? */
bool io_has_waiters(void);
/* Is this one of the runtime's own descriptors?  close and friends pass over it. */
bool io_is_ours(int fd);
/* The runtime's lowest own descriptor that is >= from, or -1. */
int io_next_ours(int from);
/* Fills in sched_hooks' io_*; at sched_start.  0 or -errno. */
int io_start(void) __attribute__((weak));
void io_fork_child(bool shares_files);

#pragma GCC visibility pop

#endif
