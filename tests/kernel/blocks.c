// SPDX-License-Identifier: BSD-2-Clause
/*
 * blocks KIND ROUNDS: a thread blocks in the kernel, in a way that no library sees, and only the other
 * thread can end that.  On one processor the other runs only if it is given the processor meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY	/* headers before Linux 5.11 */
#define UFFD_USER_MODE_ONLY 1
#endif

enum { PAGE = 4096 };

static atomic_int round_now;		/* odd: the blocker is about to block, or does */
static int rounds, fds[2];
static atomic_uint word;
static char *page;

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	_exit(1);
}

/* A system call as libc's own inlined ones are: by no function that could be replaced. */
static long raw(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return ret;
}

static void futex_open(void)
{
}

static void futex_block(void)
{
	while (atomic_load(&word) == 0)
		raw(SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, 0, 0);
	atomic_store(&word, 0);
}

static void futex_end(void)
{
	atomic_store(&word, 1);
	raw(SYS_futex, (long)&word, FUTEX_WAKE_PRIVATE, 1, 0);
}

static void fifo_open(void)
{
	must(mkfifo("fifo", 0600) == 0, "mkfifo");
	fds[0] = fds[1] = open("fifo", O_RDWR);
	must(fds[0] >= 0, "open");
}

static void fifo_block(void)
{
	char byte;

	must(raw(SYS_read, fds[0], (long)&byte, 1, 0) == 1, "read");
}

static void fifo_end(void)
{
	must(write(fds[1], "", 1) == 1, "write");
}

static void flock_open(void)
{
	for (int i = 0; i < 2; i++)
		fds[i] = open("lock", O_RDWR | O_CREAT, 0600);
	must(flock(fds[1], LOCK_EX) == 0, "flock");
}

static void flock_block(void)
{
	must(raw(SYS_flock, fds[0], LOCK_EX, 0, 0) == 0, "flock");
	must(raw(SYS_flock, fds[0], LOCK_UN, 0, 0) == 0, "flock");
	must(raw(SYS_flock, fds[1], LOCK_EX, 0, 0) == 0, "flock");
}

static void flock_end(void)
{
	must(raw(SYS_flock, fds[1], LOCK_UN, 0, 0) == 0, "flock");
}

/* A page fault that this program serves itself. */
static void fault_open(void)
{
	struct uffdio_api api = { .api = UFFD_API };

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = { { (unsigned long)page, PAGE }, UFFDIO_REGISTER_MODE_MISSING, 0 };

	fds[0] = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (fds[0] < 0 || ioctl(fds[0], UFFDIO_API, &api) || ioctl(fds[0], UFFDIO_REGISTER, &range)) {
		printf("skip: userfaultfd: %s\n", strerror(errno));
		exit(77);
	}
}

static void fault_block(void)
{
	*(volatile char *)page = 1;
	madvise(page, PAGE, MADV_DONTNEED);
}

static void fault_end(void)
{
	struct uffd_msg message;
	struct uffdio_zeropage zero = { { (unsigned long)page, PAGE }, 0, 0 };

	must(raw(SYS_read, fds[0], (long)&message, sizeof(message), 0) == sizeof(message), "read");
	must(ioctl(fds[0], UFFDIO_ZEROPAGE, &zero) == 0, "UFFDIO_ZEROPAGE");
}

static const struct kind {
	const char *name;
	void (*open)(void);
	void (*block)(void);
	void (*end)(void);
} kinds[] = {
	{ "futex", futex_open, futex_block, futex_end },
	{ "fifo", fifo_open, fifo_block, fifo_end },
	{ "flock", flock_open, flock_block, flock_end },
	{ "fault", fault_open, fault_block, fault_end },
}, *kind;

static void *blocker(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		atomic_fetch_add(&round_now, 1);
		kind->block();
		atomic_fetch_add(&round_now, 1);
		sched_yield();
	}
	return arg;
}

static void nap(void)
{
	struct timespec t = { 0, 50000 };

	nanosleep(&t, NULL);
}

static void *ender(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		while (atomic_load(&round_now) < 2 * i + 1)
			sched_yield();
		nap();			/* on more than one processor: until it does block */
		kind->end();
		while (atomic_load(&round_now) < 2 * i + 2)
			sched_yield();
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name))
			kind = &kinds[i];
	if (!kind)
		return 2;
	rounds = atoi(argv[2]);
	kind->open();
	must(!pthread_create(&t[0], NULL, blocker, NULL), "pthread_create");
	must(!pthread_create(&t[1], NULL, ender, NULL), "pthread_create");
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	puts("done");
	return 0;
}
