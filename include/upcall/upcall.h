/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Upcall's own interface: user-level threads, what they wait on, and calls that may block.
 *
 * A thread here is not a kernel thread: many share a few of those, one for each processor, and a
 * thread that waits costs its stack and nothing else.  When the kernel blocks one of them, wherever
 * that happens, its processor goes to another.
 *
 * Every call returns 0 or more on success and a negative error number on failure, and leaves errno
 * alone.  A deadline is a point in time on CLOCK_MONOTONIC, in nanoseconds, as upcall_now and
 * upcall_after give it; UPCALL_NEVER waits as long as it takes.  Objects are ready for use when
 * they are all zeroes, unless said otherwise; they may not be copied or moved while in use.
 *
 * Calls may come from any kernel thread, also from one that Upcall did not make: that one waits in
 * the kernel.  Nothing needs to be called first.
 */
#ifndef UPCALL_UPCALL_H
#define UPCALL_UPCALL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#ifdef __cplusplus
#define UPCALL_NORETURN [[noreturn]]
extern "C" {
#else
#define UPCALL_NORETURN __attribute__((__noreturn__))
#endif

#pragma GCC visibility push(default)

#define UPCALL_NEVER UINT64_MAX

/* Time. */
uint64_t upcall_now(void);
uint64_t upcall_after(uint64_t ns);		/* ns from now; saturates */

/* Threads.  A handle is good until the thread has been joined, or, if detached, has ended. */
typedef struct upcall_thread *upcall_t;

enum {
	UPCALL_DETACHED = 1,	/* nobody will join it */
	UPCALL_NO_TLS = 2,	/* no TLS block of its own: cheaper, see upcall_create(3) */
	UPCALL_BOUND = 4,	/* a kernel thread of its own */
	UPCALL_ON_VPROC = 8,	/* starts on the vproc that `vproc` says */
};

struct upcall_attr {
	size_t size;		/* sizeof(struct upcall_attr) */
	unsigned flags;
	int priority;		/* for policies that ask for it; UPCALL_PRIORITY_MIN to _MAX, higher goes first */
	size_t stack_bytes;	/* 0: 60 KB with UPCALL_NO_TLS, else 256 KB */
	const char *name;	/* at most 15 characters count */
	unsigned vproc;		/* a hint; idle vprocs take what waits elsewhere */
	unsigned group;		/* threads of one group (not 0) start on one vproc */
	uint64_t policy_word;	/* for the policy: upcall_policy_slot(thread)->word */
};
#define UPCALL_ATTR_INIT { sizeof(struct upcall_attr), 0, 0, 0, 0, 0, 0, 0 }
enum { UPCALL_PRIORITY_MIN = -32, UPCALL_PRIORITY_MAX = 31 };

int upcall_create(upcall_t *ret_thread, const struct upcall_attr *attr, void *(*start)(void *), void *arg);
int upcall_join(upcall_t thread, void **ret_value);
int upcall_join_until(upcall_t thread, void **ret_value, uint64_t deadline_ns);
int upcall_detach(upcall_t thread);
UPCALL_NORETURN void upcall_exit(void *value);
upcall_t upcall_self(void);
void upcall_yield(void);
/*
 * Between them, which nest, the thread is not preempted, for a few milliseconds at most: it gives way at
 * the end.  Who stays longer is preempted, and is not believed for the next second.
 */
void upcall_nopreempt_begin(void);
void upcall_nopreempt_end(void);
void upcall_yield_to(upcall_t thread);		/* upcall_unpark, and it runs next, if it can: see upcall_create(3) */
int upcall_sleep(uint64_t ns);
int upcall_sleep_until(uint64_t deadline_ns);
int upcall_set_name(upcall_t thread, const char *name);
int upcall_name(upcall_t thread, char *ret_name, size_t bytes);
int upcall_set_priority(upcall_t thread, int priority);
int upcall_priority(upcall_t thread);		/* its own, whatever it has been lent */

/* A flag that the thread looks at; it also ends one wait, with -ECANCELED. */
int upcall_cancel(upcall_t thread);
bool upcall_is_cancelled(void);

/* The primitive under everything that waits: a thread parks until it is given its token. */
int upcall_park(void);
int upcall_park_until(uint64_t deadline_ns);
void upcall_unpark(upcall_t thread);

/* The process. */
enum { UPCALL_VPROCS_MAX = 256 };
struct upcall_policy;
struct upcall_options {
	size_t size;		/* sizeof(struct upcall_options) */
	unsigned vprocs;	/* 0: one for each processor that the process may use; at most UPCALL_VPROCS_MAX */
	unsigned flags;		/* 0 */
	const struct upcall_policy *policy;	/* <upcall/policy.h>; NULL: work stealing */
};
#define UPCALL_OPTIONS_INIT { sizeof(struct upcall_options), 0, 0, 0 }

int upcall_init(const struct upcall_options *options);	/* before all else that starts threads; may be left out */
unsigned upcall_vprocs(void);
int upcall_vproc(void);		/* which one runs the caller; -1: none */

/* Thread-specific values. */
typedef unsigned upcall_key_t;
enum { UPCALL_KEYS_MAX = 512 };
int upcall_key_create(upcall_key_t *ret_key, void (*destructor)(void *));
int upcall_key_delete(upcall_key_t key);
void *upcall_key_get(upcall_key_t key);
int upcall_key_set(upcall_key_t key, const void *value);

/* Mutexes. */
struct upcall_mutex { uint64_t opaque[4]; };
enum upcall_mutex_kind { UPCALL_MUTEX_NORMAL, UPCALL_MUTEX_RECURSIVE, UPCALL_MUTEX_ERRORCHECK };
int upcall_mutex_init(struct upcall_mutex *mutex, enum upcall_mutex_kind kind);
int upcall_mutex_lock(struct upcall_mutex *mutex);
int upcall_mutex_lock_until(struct upcall_mutex *mutex, uint64_t deadline_ns);
int upcall_mutex_trylock(struct upcall_mutex *mutex);
int upcall_mutex_unlock(struct upcall_mutex *mutex);
/* For the inline part below: the same; and somebody waits for it, and its owner has just dropped its word. */
int upcall_mutex_lock_(struct upcall_mutex *mutex);
int upcall_mutex_unlock_(struct upcall_mutex *mutex);
void upcall_mutex_wake_(struct upcall_mutex *mutex);

/* Conditions. */
struct upcall_cond { uint64_t opaque[4]; };
int upcall_cond_wait(struct upcall_cond *cond, struct upcall_mutex *mutex);
int upcall_cond_wait_until(struct upcall_cond *cond, struct upcall_mutex *mutex, uint64_t deadline_ns);
void upcall_cond_signal(struct upcall_cond *cond);
void upcall_cond_broadcast(struct upcall_cond *cond);
void upcall_cond_destroy(struct upcall_cond *cond);

/* Semaphores. */
struct upcall_sem { uint64_t opaque[4]; };
int upcall_sem_init(struct upcall_sem *sem, unsigned value);
int upcall_sem_post(struct upcall_sem *sem);
int upcall_sem_wait(struct upcall_sem *sem);
int upcall_sem_wait_until(struct upcall_sem *sem, uint64_t deadline_ns);
int upcall_sem_trywait(struct upcall_sem *sem);
unsigned upcall_sem_value(const struct upcall_sem *sem);

/* Readers-writer locks; a writer that waits goes before readers that come later. */
struct upcall_rwlock { uint64_t opaque[4]; };
int upcall_rwlock_read(struct upcall_rwlock *lock);
int upcall_rwlock_read_until(struct upcall_rwlock *lock, uint64_t deadline_ns);
int upcall_rwlock_tryread(struct upcall_rwlock *lock);
int upcall_rwlock_write(struct upcall_rwlock *lock);
int upcall_rwlock_write_until(struct upcall_rwlock *lock, uint64_t deadline_ns);
int upcall_rwlock_trywrite(struct upcall_rwlock *lock);
int upcall_rwlock_unlock(struct upcall_rwlock *lock);

/* Barriers: for a fixed number of threads, round after round.  1 to the last one to arrive, 0 to others. */
struct upcall_barrier { uint64_t opaque[4]; };
int upcall_barrier_init(struct upcall_barrier *barrier, unsigned count);
int upcall_barrier_wait(struct upcall_barrier *barrier);
int upcall_barrier_wait_until(struct upcall_barrier *barrier, uint64_t deadline_ns);
void upcall_barrier_destroy(struct upcall_barrier *barrier);

/* Once: the first caller runs fn(arg), the others wait until it has. */
struct upcall_once { uint64_t opaque[2]; };
void upcall_once_run(struct upcall_once *once, void (*fn)(void *), void *arg);

/* Events: threads wait while it is not set. */
struct upcall_event { uint64_t opaque[2]; };
void upcall_event_set(struct upcall_event *event);
void upcall_event_reset(struct upcall_event *event);
bool upcall_event_is_set(const struct upcall_event *event);
int upcall_event_wait(struct upcall_event *event);
int upcall_event_wait_until(struct upcall_event *event, uint64_t deadline_ns);

/* Latches: threads wait until it has been counted down to 0. */
struct upcall_latch { uint64_t opaque[2]; };
int upcall_latch_init(struct upcall_latch *latch, unsigned count);
int upcall_latch_count_down(struct upcall_latch *latch, unsigned by);
int upcall_latch_wait(struct upcall_latch *latch);
int upcall_latch_wait_until(struct upcall_latch *latch, uint64_t deadline_ns);

/* Channels: bounded queues of elements of one size.  -EPIPE: closed (and, to a receiver, empty). */
struct upcall_channel;
int upcall_channel_create(struct upcall_channel **ret_channel, size_t capacity, size_t element_bytes);
void upcall_channel_destroy(struct upcall_channel *channel);
void upcall_channel_close(struct upcall_channel *channel);
int upcall_channel_send(struct upcall_channel *channel, const void *element);
int upcall_channel_send_until(struct upcall_channel *channel, const void *element, uint64_t deadline_ns);
int upcall_channel_trysend(struct upcall_channel *channel, const void *element);
int upcall_channel_receive(struct upcall_channel *channel, void *ret_element);
int upcall_channel_receive_until(struct upcall_channel *channel, void *ret_element, uint64_t deadline_ns);
int upcall_channel_tryreceive(struct upcall_channel *channel, void *ret_element);
size_t upcall_channel_length(struct upcall_channel *channel);

/* Calls that wait for a descriptor, whether or not it has O_NONBLOCK. */
ssize_t upcall_read(int fd, void *buffer, size_t bytes);
ssize_t upcall_read_until(int fd, void *buffer, size_t bytes, uint64_t deadline_ns);
ssize_t upcall_write(int fd, const void *buffer, size_t bytes);		/* all of it, or what went until an error */
ssize_t upcall_write_until(int fd, const void *buffer, size_t bytes, uint64_t deadline_ns);
ssize_t upcall_recv(int fd, void *buffer, size_t bytes, int flags);
ssize_t upcall_recv_until(int fd, void *buffer, size_t bytes, int flags, uint64_t deadline_ns);
ssize_t upcall_send(int fd, const void *buffer, size_t bytes, int flags);
ssize_t upcall_send_until(int fd, const void *buffer, size_t bytes, int flags, uint64_t deadline_ns);
int upcall_accept(int fd, struct sockaddr *ret_address, socklen_t *size, int flags);
int upcall_accept_until(int fd, struct sockaddr *ret_address, socklen_t *size, int flags, uint64_t deadline_ns);
int upcall_connect(int fd, const struct sockaddr *address, socklen_t size);
int upcall_connect_until(int fd, const struct sockaddr *address, socklen_t size, uint64_t deadline_ns);
int upcall_poll(struct pollfd *fds, unsigned nfds);
int upcall_poll_until(struct pollfd *fds, unsigned nfds, uint64_t deadline_ns);
int upcall_close(int fd);

/*
 * Taking a free mutex, and dropping one that nobody waits for, in the caller's own code: all else, and what is
 * unusual, is the library's, whose functions of the same names these are.  UPCALL_NO_INLINE leaves them out; a lock
 * and its unlock take half as long again then (doc/speed.md).
 * A mutex begins with its word (0 free; 1 held, 2 held and somebody waits, with who holds it in the upper bits)
 * and its kind.
 */
enum { UPCALL_AT_PENDING_ = 28, UPCALL_AT_LOCKS_PLAINLY_ = 37, UPCALL_MUTEX_WAITED_ = 2 };

#if !defined(UPCALL_NO_INLINE) && defined(__x86_64__)
typedef uint32_t __attribute__((__may_alias__)) upcall_word_;
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

/* The calling thread's description, or NULL; another name where another layout is, so that no other library serves. */
extern __thread const char *upcall_thread_1_ __attribute__((tls_model("initial-exec")));

/* Nothing is wanted but the word. */
#define UPCALL_LOCKS_PLAINLY_(thread, word) \
	((thread) && (thread)[UPCALL_AT_LOCKS_PLAINLY_] && (word)[1] == UPCALL_MUTEX_NORMAL)

extern __inline __attribute__((__gnu_inline__, __always_inline__))
int upcall_mutex_lock(struct upcall_mutex *mutex)
{
	upcall_word_ *word = (upcall_word_ *)mutex->opaque, is_free = 0;
	const char *thread = upcall_thread_1_;

	if (__builtin_expect(UPCALL_LOCKS_PLAINLY_(thread, word) && !(thread[UPCALL_AT_PENDING_] & 1) &&
			     __atomic_compare_exchange_n(word, &is_free, (upcall_word_)((uintptr_t)thread >> 4) | 1,
							 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED), 1))
		return 0;
	return upcall_mutex_lock_(mutex);
}

extern __inline __attribute__((__gnu_inline__, __always_inline__))
int upcall_mutex_unlock(struct upcall_mutex *mutex)
{
	upcall_word_ *word = (upcall_word_ *)mutex->opaque;
	const char *thread = upcall_thread_1_;

	if (__builtin_expect(!UPCALL_LOCKS_PLAINLY_(thread, word), 0))
		return upcall_mutex_unlock_(mutex);
	if (__builtin_expect(__atomic_exchange_n(word, 0, __ATOMIC_SEQ_CST) & UPCALL_MUTEX_WAITED_, 0))
		upcall_mutex_wake_(mutex);
	return 0;
}
#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif
#endif

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
