// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process whose threads are in every state at once, for tests of how it ends: crowd_gather() in a child
 * process, then the child leaves in the way that is tested.  What is counted in crowd_record outlives it.
 */
#ifndef CROWD_H
#define CROWD_H

#define IS_LONG		/* beside other programs: several children, in turn, of as many threads */
#include "harness.h"
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/epoll.h>
#include <sys/file.h>

struct crowd_record {
	atomic_int at_exit, at_quick_exit, of_thread, of_key;	/* how often each was run */
};

static struct crowd_record *crowd_record;
static int crowd_out[2];		/* what was written to a stream and not flushed comes out here, or not */
static int crowd_pipe[2], crowd_locked;
static char crowd_fifo[80], crowd_file[80];
static atomic_int crowd_begun, crowd_word;
static pthread_mutex_t crowd_robust, crowd_held = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t crowd_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t crowd_cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t crowd_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t crowd_barrier;
static sem_t crowd_sem;
static pthread_t crowd_main;
static pthread_once_t crowd_once = PTHREAD_ONCE_INIT;
static pthread_key_t crowd_key;

static void crowd_for_ever(void)
{
	for (;;)
		sem_wait(&crowd_sem);
}

/* For those that do the same again and again. */
static void crowd_first(bool *has_begun)
{
	if (!*has_begun)
		crowd_begun++;
	*has_begun = true;
}

static void *crowd_computes(void *arg UNUSED)
{
	crowd_begun++;
	for (;;)
		__asm__ volatile("" ::: "memory");
	return NULL;
}

static void *crowd_yields(void *arg UNUSED)
{
	crowd_begun++;
	for (;;)
		sched_yield();
	return NULL;
}

static void *crowd_locks(void *arg UNUSED)
{
	crowd_begun++;
	pthread_mutex_lock(&crowd_held);
	return NULL;
}

static void *crowd_locks_robust(void *arg UNUSED)
{
	crowd_begun++;
	pthread_mutex_lock(&crowd_robust);
	return NULL;
}

static void *crowd_reads_locked(void *arg UNUSED)
{
	crowd_begun++;
	pthread_rwlock_rdlock(&crowd_rwlock);
	return NULL;
}

static void *crowd_waits_cond(void *arg UNUSED)
{
	pthread_mutex_lock(&crowd_mutex);
	crowd_begun++;
	for (;;)
		pthread_cond_wait(&crowd_cond, &crowd_mutex);
	return NULL;
}

static void *crowd_waits_timed(void *arg UNUSED)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 1000000);

	pthread_mutex_lock(&crowd_mutex);
	crowd_begun++;
	for (;;)
		pthread_cond_timedwait(&crowd_cond, &crowd_mutex, &until);
	return NULL;
}

static void *crowd_waits_barrier(void *arg UNUSED)
{
	crowd_begun++;
	pthread_barrier_wait(&crowd_barrier);
	return NULL;
}

static void *crowd_waits_sem(void *arg UNUSED)
{
	crowd_begun++;
	crowd_for_ever();
	return NULL;
}

static void *crowd_joins(void *arg UNUSED)
{
	crowd_begun++;
	pthread_join(spawn(crowd_waits_sem, NULL), NULL);
	return NULL;
}

static void crowd_begin_once(void)
{
	crowd_begun++;
	crowd_for_ever();
}

static void *crowd_once_only(void *arg UNUSED)
{
	pthread_once(&crowd_once, crowd_begin_once);
	return NULL;
}

static void *crowd_sleeps(void *arg UNUSED)
{
	crowd_begun++;
	sleep(1000);
	return NULL;
}

static void *crowd_sleeps_little(void *arg UNUSED)
{
	crowd_begun++;
	for (;;)
		usleep(100);
	return NULL;
}

static void *crowd_polls(void *arg UNUSED)
{
	struct pollfd p = { .fd = crowd_pipe[0], .events = POLLIN };

	crowd_begun++;
	poll(&p, 1, -1);
	return NULL;
}

static void *crowd_reads(void *arg UNUSED)
{
	char c;

	crowd_begun++;
	(void)!read(crowd_pipe[0], &c, 1);
	return NULL;
}

static void *crowd_waits_epoll(void *arg UNUSED)
{
	struct epoll_event e;

	crowd_begun++;
	epoll_wait(epoll_create1(EPOLL_CLOEXEC), &e, 1, -1);
	return NULL;
}

static void *crowd_waits_futex(void *arg UNUSED)
{
	crowd_begun++;
	for (;;)
		syscall(SYS_futex, &crowd_word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return NULL;
}

static void *crowd_flocks(void *arg UNUSED)
{
	int fd = open(crowd_file, O_RDWR);

	crowd_begun++;
	flock(fd, LOCK_EX);
	return NULL;
}

static void *crowd_opens_fifo(void *arg UNUSED)
{
	crowd_begun++;
	open(crowd_fifo, O_RDONLY);
	return NULL;
}

static void *crowd_faults(void *arg UNUSED)
{
	enum { BYTES = 1 << 20 };
	bool has_begun = false;
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (;;) {
		memset(p, 1, BYTES);
		madvise(p, BYTES, MADV_DONTNEED);
		crowd_first(&has_begun);
	}
	return NULL;
}

static void crowd_bind(void)
{
	cpu_set_t cpus;

	CHECK_OK(sched_getaffinity(0, sizeof(cpus), &cpus));
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus));
}

static void *crowd_bound_waits(void *arg)
{
	crowd_bind();
	return crowd_waits_sem(arg);
}

static void *crowd_bound_computes(void *arg)
{
	crowd_bind();
	return crowd_computes(arg);
}

static void crowd_stays(int sig UNUSED)
{
	crowd_begun++;
	crowd_for_ever();
}

static void *crowd_in_handler(void *arg UNUSED)
{
	raise(SIGUSR1);
	return NULL;
}

static void crowd_cleanup(void *arg UNUSED)
{
	crowd_begun++;
	crowd_for_ever();
}

static void *crowd_is_cancelled(void *arg UNUSED)
{
	pthread_cleanup_push(crowd_cleanup, NULL);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return NULL;
}

static void *crowd_waits_signal(void *arg UNUSED)
{
	sigset_t set = set_of(SIGUSR2);
	int sig;

	block_signal(SIGUSR2);
	crowd_begun++;
	sigwait(&set, &sig);
	return NULL;
}

static void *crowd_allocates(void *arg UNUSED)
{
	bool has_begun = false;

	for (;;) {
		void *volatile p = malloc(100000 + (size_t)rand() % 100000);

		free(p);
		crowd_first(&has_begun);
	}
	return NULL;
}

static void *crowd_prints(void *arg UNUSED)
{
	bool has_begun = false;
	FILE *f = fopen("/dev/null", "w");

	for (;;) {
		fprintf(f, "%d\n", crowd_begun);
		crowd_first(&has_begun);
	}
	return NULL;
}

static void *crowd_forks(void *arg UNUSED)
{
	bool has_begun = false;

	for (;;) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		crowd_first(&has_begun);
	}
	return NULL;
}

/*
 * A library that leads to none by two ways, as libm.so.6 does: in glibc (2.36) exit takes a mark off each library without
 * the lock, in the byte in which dlopen notes which it has been to, and ld.so's own check for one that it met twice ends
 * the process (3 of some 10,000 on glibc's threads, with sixty libraries).
 */
static void *crowd_loads(void *arg UNUSED)
{
	bool has_begun = false;

	for (;;) {
		void *library = dlopen("libutil.so.1", RTLD_NOW);

		if (library)
			dlclose(library);
		crowd_first(&has_begun);
	}
	return NULL;
}

static void *crowd_creates(void *arg UNUSED)
{
	bool has_begun = false;
	pthread_t t;

	for (;;) {
		if (pthread_create(&t, NULL, (void *(*)(void *))(void *)time, NULL) == 0)
			pthread_join(t, NULL);
		crowd_first(&has_begun);
	}
	return NULL;
}

static void crowd_note_exit(void)
{
	crowd_record->at_exit++;
}

static void crowd_note_quick_exit(void)
{
	crowd_record->at_quick_exit++;
}

static void crowd_note_thread(void *arg UNUSED)
{
	crowd_record->of_thread++;
}

static void crowd_note_key(void *arg UNUSED)
{
	crowd_record->of_key++;
}

/* What C++ compilers call for a thread_local object. */
extern int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *dso);

/* The thread that is going to leave says so: it has a thread_local object and a value for a key. */
static inline void crowd_will_leave(void)
{
	extern void *__dso_handle;

	CHECK_OK(__cxa_thread_atexit_impl(crowd_note_thread, NULL, &__dso_handle));
	CHECK_OK(pthread_setspecific(crowd_key, &crowd_key));
}

/* In the test itself, once. */
static inline void crowd_prepare(void)
{
	crowd_record = shared_memory(sizeof(*crowd_record));
	CHECK_OK(pipe2(crowd_out, O_NONBLOCK));
	strcpy(crowd_fifo, fresh_path());
	strcpy(crowd_file, fresh_path());
	CHECK_OK(mkfifo(crowd_fifo, 0600));
	crowd_locked = open(crowd_file, O_RDWR | O_CREAT, 0600);
	CHECK(crowd_locked >= 0);
	CHECK_OK(flock(crowd_locked, LOCK_EX));
}

static inline void crowd_end(void)
{
	unlink(crowd_fifo);
	unlink(crowd_file);
}

static inline void crowd_make_objects(void)
{
	pthread_mutexattr_t robust;

	CHECK_OK(pthread_mutexattr_init(&robust));
	CHECK_OK(pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&crowd_robust, &robust));
	CHECK_OK(pthread_barrier_init(&crowd_barrier, NULL, 100));
	CHECK_OK(sem_init(&crowd_sem, 0, 0));
	CHECK_OK(pthread_key_create(&crowd_key, crowd_note_key));
	CHECK_OK(pipe(crowd_pipe));
	CHECK_OK(pthread_mutex_lock(&crowd_held));
	CHECK_OK(pthread_mutex_lock(&crowd_robust));
	CHECK_OK(pthread_rwlock_wrlock(&crowd_rwlock));
}

static int crowd_spawn(void *(*const *bodies)(void *), int n)
{
	for (int i = 0; i < n; i++)
		spawn(bodies[i], NULL);
	return n;
}

/* In the child: returns when every thread is where it is going to be, or about to be there. */
static inline void crowd_gather(unsigned seed)
{
	static void *(*const wait[])(void *) = {
		crowd_locks, crowd_locks_robust, crowd_reads_locked, crowd_waits_cond, crowd_waits_timed,
		crowd_waits_barrier, crowd_waits_sem, crowd_once_only, crowd_sleeps, crowd_polls, crowd_reads,
		crowd_waits_epoll, crowd_waits_futex, crowd_flocks, crowd_opens_fifo, crowd_in_handler,
		crowd_is_cancelled, crowd_waits_signal, crowd_bound_waits, crowd_joins,
	}, *(*const work[])(void *) = {
		crowd_sleeps_little, crowd_forks, crowd_loads, crowd_creates,
	}, *(*const compute[])(void *) = {	/* last: those before would wait for their slices */
		crowd_yields, crowd_faults, crowd_allocates, crowd_prints, crowd_bound_computes, crowd_computes,
	};
	FILE *f = fdopen(dup(crowd_out[1]), "w");
	int n;

	crowd_main = pthread_self();
	crowd_make_objects();
	on_signal(SIGUSR1, crowd_stays, 0);
	CHECK_OK(atexit(crowd_note_exit));
	CHECK_OK(at_quick_exit(crowd_note_quick_exit));
	CHECK(fputs("x", f) >= 0);
	n = crowd_spawn(wait, sizeof(wait) / sizeof(wait[0])) + 1;	/* and one that is joined */
	WAIT_FOR(crowd_begun == n);
	n += crowd_spawn(work, sizeof(work) / sizeof(work[0]));
	WAIT_FOR(crowd_begun == n);
	n += crowd_spawn(compute, sizeof(compute) / sizeof(compute[0]));
	WAIT_FOR(crowd_begun == n);
	srand(seed);
	usleep((useconds_t)rand() % 3000);
}

/* In a child each, 0 to 5: the crowd gathers, then main or another thread, in turn, leaves by this. */
static void *(*crowd_leave)(void *);
static unsigned crowd_turn;

static inline void crowd_child(void)
{
	crowd_gather(crowd_turn);
	if (crowd_turn % 2)
		join(spawn(crowd_leave, NULL));
	else
		crowd_leave(NULL);
}

/* How the child of this turn ended; what it counted is in crowd_record. */
static inline int crowd_status(unsigned turn, void *(*leave)(void *))
{
	crowd_turn = turn;
	crowd_leave = leave;
	memset(crowd_record, 0, sizeof(*crowd_record));
	return in_child(crowd_child);
}

/* In the test, after the child: was its stream flushed? */
static inline bool crowd_was_flushed(void)
{
	char c;

	return read(crowd_out[0], &c, 1) == 1;
}

#endif
