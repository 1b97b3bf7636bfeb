// SPDX-License-Identifier: BSD-2-Clause
/* What the programs for the emulated machine share: a client of upcalld's scheduler, by hand. */
#ifndef TESTS_VM_VPROC_H
#define TESTS_VM_VPROC_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <upcall/kernel.h>

#include "../../src/sys/admit.h"

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #cond, strerror(errno));    \
			fflush(stdout);                                                            \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static volatile struct upcall_kernel_page *page;
static volatile struct upcall_kernel_control *control;
static uint64_t token;

static inline uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static inline uint64_t cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static inline void be_admitted(void)
{
	struct abi_welcome welcome;
	int fds[2];

	CHECK(admit_ask(ABI_BPF | ABI_SCX, 2000, &welcome, fds) == 0);
	CHECK(welcome.sources == (ABI_BPF | ABI_SCX));
	token = welcome.token;
	page = mmap(NULL, sizeof(*page), PROT_READ, MAP_SHARED, fds[0], 0);
	control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
	CHECK(page != MAP_FAILED && control != MAP_FAILED);
}

static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
}

static inline void be_scheduled(void)
{
	struct sched_param none = { 0 };

	CHECK(syscall(SYS_sched_setscheduler, 0, 7 | SCHED_RESET_ON_FORK, &none) == 0);
}

/* The caller becomes the activation in `slot` of that vproc, on `cpu`. */
static inline void join_vproc(unsigned slot, int cpu, unsigned vproc)
{
	uint32_t life = page->slot[slot].life;

	pin(cpu);
	control->vproc_of[slot] = (uint8_t)vproc;
	for (int i = 0; i < 10 && page->slot[slot].life == life; i++)
		if (prctl(UPCALL_KERNEL_PRCTL, slot, token, 0, 0) && page->slot[slot].life == life)
			usleep(1000);
	CHECK(page->slot[slot].life != life);
	be_scheduled();
}

static inline void join(unsigned slot, int cpu)
{
	join_vproc(slot, cpu, 0);
}

#endif
