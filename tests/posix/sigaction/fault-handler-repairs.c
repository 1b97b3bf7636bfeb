// SPDX-License-Identifier: BSD-2-Clause
// A SIGSEGV handler that makes the page accessible lets the instruction go on, in many threads.
#include "../harness.h"

#define N 4
#define PAGES 50

static void handler(int sig UNUSED, siginfo_t *info, void *ctx UNUSED)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)4095;

	if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) != 0)
		_exit(1);
}

static void *body(void *arg)
{
	char *m = mmap(NULL, PAGES * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < PAGES; i++)
		m[i * 4096] = (char)(intptr_t)arg;
	for (int i = 0; i < PAGES; i++)
		CHECK_EQ(m[i * 4096], (intptr_t)arg);
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pthread_t t[N];

	CHECK_OK(sigaction(SIGSEGV, &sa, NULL));
	spawn_many(t, N, body);
	join_many(t, N);
}
