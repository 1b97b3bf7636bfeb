// SPDX-License-Identifier: BSD-2-Clause
/*
 * faults ROUNDS: a thread blocks in a page fault, then in a call, by turns; the other serves the faults.  The events of
 * the first kind are FAULT, those of the second BLOCKED with the call, and of each the thread is back after that.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <upcall/page.h>
#include <upcall/reports.h>
#include <upcall/upcall.h>

#ifndef UFFD_USER_MODE_ONLY	/* headers before Linux 5.11 */
#define UFFD_USER_MODE_ONLY 1
#endif

enum { PAGE = 4096 };

static int rounds, uffd;
static char *page;
static atomic_bool is_over;
static atomic_uint toucher_id, faults, naps, others, returns;
static atomic_int away;			/* the activation that blocked last */

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	_exit(1);
}

static void note(const struct upcall_report *event, void *arg)
{
	(void)arg;
	if (event->thread != toucher_id)
		return;
	if (event->kind == UPCALL_REPORT_FAULT && event->call == -1)
		faults++;
	else if (event->kind == UPCALL_REPORT_BLOCKED && event->call == SYS_nanosleep)
		naps++;
	else if (event->kind == UPCALL_REPORT_BLOCKED || event->kind == UPCALL_REPORT_FAULT)
		others++;
	if (event->kind == UPCALL_REPORT_BLOCKED || event->kind == UPCALL_REPORT_FAULT)
		away = event->activation;
	else if (event->kind == UPCALL_REPORT_UNBLOCKED)
		returns += event->activation == away;
}

static void open_page(void)
{
	struct uffdio_api api = { .api = UFFD_API };

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = { { (unsigned long)page, PAGE }, UFFDIO_REGISTER_MODE_MISSING, 0 };

	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &range)) {
		printf("skip: userfaultfd: %s\n", strerror(errno));
		exit(77);
	}
}

/* By no function that could be replaced. */
static void raw_nap(void)
{
	struct timespec t = { 0, 2000000 };
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_nanosleep), "D"(&t), "S"(0L) : "rcx", "r11", "memory");
}

static void *touch(void *arg)
{
	toucher_id = upcall_register_thread(upcall_registers());
	for (int i = 0; i < rounds; i++) {
		*(volatile char *)page = 1;
		madvise(page, PAGE, MADV_DONTNEED);
		upcall_yield();
		raw_nap();
		upcall_yield();
	}
	is_over = true;
	return arg;
}

static void *serve(void *arg)
{
	struct uffd_msg message;
	struct uffdio_zeropage zero = { { (unsigned long)page, PAGE }, 0, 0 };

	while (!is_over) {
		if (read(uffd, &message, sizeof(message)) == sizeof(message))
			must(ioctl(uffd, UFFDIO_ZEROPAGE, &zero) == 0, "UFFDIO_ZEROPAGE");
		upcall_yield();
	}
	return arg;
}

int main(int argc, char **argv)
{
	upcall_t t[2];

	if (argc != 2)
		return 2;
	rounds = atoi(argv[1]);
	open_page();
	must(upcall_reports_open(note, NULL) == 0, "upcall_reports_open");
	must(upcall_create(&t[0], NULL, serve, NULL) == 0 && upcall_create(&t[1], NULL, touch, NULL) == 0, "upcall_create");
	upcall_join(t[1], NULL);
	upcall_join(t[0], NULL);
	must(upcall_reports_open(NULL, NULL) == 0, "upcall_reports_open");
	printf("faults %u naps %u others %u returns %u\n", faults, naps, others, returns);
	return 0;
}
