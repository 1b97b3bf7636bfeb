// SPDX-License-Identifier: BSD-2-Clause
/*
 * Objects lie on pages that are missing, and that a thread of this very process brings: whoever touches one waits for
 * the thread, which must run meanwhile, on one processor too.  So must a third, which uses others of the same kind.
 */
#include "../harness.h"

#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

enum { PAGE = 4096, PAGES = 64 };

static int faults;
static char *memory;
static atomic_uint served;

static void *serve(void *arg)
{
	(void)arg;
	for (;;) {
		struct uffd_msg message;
		struct uffdio_zeropage zero = { .range.len = PAGE };

		if (read(faults, &message, sizeof(message)) != sizeof(message))
			return NULL;
		CHECK_EQ(message.event, UFFD_EVENT_PAGEFAULT);
		sleep_ms(2);			/* what blocks meanwhile is not over at once */
		zero.range.start = message.arg.pagefault.address & ~(__u64)(PAGE - 1);
		atomic_fetch_add(&served, 1);
		CHECK(ioctl(faults, UFFDIO_ZEROPAGE, &zero) == 0 || errno == EEXIST);
	}
}

static void open_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range.len = PAGES * PAGE, .mode = UFFDIO_REGISTER_MODE_MISSING };

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0)
		skip("userfaultfd is refused");
	CHECK_OK(ioctl(faults, UFFDIO_API, &api));
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
	range.range.start = (__u64)(uintptr_t)memory;
	CHECK_OK(ioctl(faults, UFFDIO_REGISTER, &range));
}

/* Missing, and zero when it is brought. */
static void *missing(void)
{
	static int page;
	void *p = memory + PAGE * (page++ % PAGES);

	CHECK_OK(madvise(p, PAGE, MADV_DONTNEED));
	return p;
}

static void mutexes(void)
{
	pthread_mutex_t *m = missing(), here = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t *c = missing();
	struct timespec soon = in_ms(CLOCK_REALTIME, 30);

	CHECK_OK(pthread_mutex_lock(m));
	CHECK_EQ(pthread_mutex_timedlock(m, &soon), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(m));
	CHECK_OK(pthread_mutex_lock(&here));
	soon = in_ms(CLOCK_REALTIME, 30);
	CHECK_EQ(pthread_cond_timedwait(c, &here, &soon), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&here));
	CHECK_OK(pthread_cond_signal(missing()));
	CHECK_OK(pthread_cond_broadcast(missing()));
}

static void others(void)
{
	pthread_rwlock_t *rw = missing();
	pthread_spinlock_t *spin = missing();
	sem_t *s = missing();
	struct timespec soon = in_ms(CLOCK_REALTIME, 30);

	CHECK_OK(pthread_rwlock_rdlock(rw));
	CHECK_EQ(pthread_rwlock_timedwrlock(rw, &soon), ETIMEDOUT);
	CHECK_OK(pthread_rwlock_unlock(rw));
	CHECK_OK(pthread_rwlock_wrlock(missing()));
	CHECK_OK(pthread_spin_init(spin, PTHREAD_PROCESS_PRIVATE));
	CHECK_OK(pthread_spin_lock(spin));
	soon = in_ms(CLOCK_REALTIME, 30);
	CHECK_ERRNO(sem_timedwait(s, &soon), ETIMEDOUT);
	CHECK_OK(sem_post(missing()));
	CHECK_ERRNO(sem_trywait(missing()), EAGAIN);
	CHECK_OK(pthread_barrier_init(missing(), NULL, 2));
}

static void futexes(int private)
{
	const struct timespec soon = { 0, 30000000 };
	unsigned *word = missing();

	CHECK_ERRNO(syscall(SYS_futex, missing(), FUTEX_WAIT | private, 1, NULL), EAGAIN);
	CHECK_ERRNO(syscall(SYS_futex, word, FUTEX_WAIT | private, 0, &soon), ETIMEDOUT);
	CHECK_EQ(syscall(SYS_futex, missing(), FUTEX_WAKE | private, 1), 0);
	CHECK_ERRNO(syscall(SYS_futex, missing(), FUTEX_CMP_REQUEUE | private, 1, 1, missing(), 1), EAGAIN);
	CHECK_EQ(syscall(SYS_futex, missing(), FUTEX_CMP_REQUEUE | private, 1, 1, missing(), 0), 0);
	CHECK_EQ(syscall(SYS_futex, missing(), FUTEX_REQUEUE | private, 1, 1, missing(), 0), 0);
	*word = 1;			/* there: the kernel changes no other */
	CHECK_EQ(syscall(SYS_futex, missing(), FUTEX_WAKE_OP | private, 1, 1, word,
			 FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 0)), 0);
	CHECK_EQ(*word, 4);
}

struct sleeper { unsigned *word; atomic_bool is_woken; };

static void *sleep_on(void *arg)
{
	struct sleeper *s = arg;

	while (syscall(SYS_futex, s->word, FUTEX_WAIT_PRIVATE, 0, NULL) == 0)
		if (atomic_load(&s->is_woken))
			break;
	return NULL;
}

/* The page of a word that somebody waits on goes; its value is the same when it is back. */
static void a_word_that_is_waited_on(void)
{
	struct sleeper s = { .word = missing() };
	pthread_t t;

	CHECK_OK(pthread_create(&t, NULL, sleep_on, &s));
	sleep_ms(20);
	CHECK_OK(madvise(s.word, PAGE, MADV_DONTNEED));
	CHECK(syscall(SYS_futex, s.word, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, missing(), 0) >= 0);
	CHECK_OK(madvise(s.word, PAGE, MADV_DONTNEED));
	atomic_store(&s.is_woken, true);
	WAIT_FOR(syscall(SYS_futex, s.word, FUTEX_WAKE_PRIVATE, 1) == 1);
	CHECK_OK(pthread_join(t, NULL));
}

static atomic_bool is_over;

/* Uses all kinds, on memory that is there: no lock of anybody's is held while a page comes. */
static void *go_on(void *arg)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	sem_t s;

	(void)arg;
	CHECK_OK(sem_init(&s, 0, 0));
	while (!atomic_load(&is_over)) {
		CHECK_OK(pthread_mutex_lock(&m));
		CHECK_OK(pthread_mutex_unlock(&m));
		CHECK_OK(sem_post(&s));
		CHECK_OK(sem_wait(&s));
		sched_yield();
	}
	return NULL;
}

int main(void)
{
	pthread_t server, other;

	open_faults();
	CHECK_OK(pthread_create(&server, NULL, serve, NULL));
	CHECK_OK(pthread_create(&other, NULL, go_on, NULL));
	for (int i = 0; i < share_of(3); i++) {
		mutexes();
		others();
		futexes(FUTEX_PRIVATE_FLAG);
		futexes(0);
		a_word_that_is_waited_on();
	}
	CHECK(atomic_load(&served) >= (unsigned)share_of(3) * 20);
	atomic_store(&is_over, true);
	CHECK_OK(pthread_join(other, NULL));
	return 0;
}
