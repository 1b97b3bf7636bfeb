// SPDX-License-Identifier: BSD-2-Clause
// Threads whose handler has used up most of their alternate stack are kept from their processors, while a signal that
// the handler blocks is pending: the handler of another signal has its frame below, not over, the one that runs.
#include "../posix/harness.h"
#include <alloca.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, ALT = 32768, LEFT = 7000, PATTERN = 0x5a, SECONDS = 1 };

static __thread char *alt, *low;
static atomic_int inner, begun;
static atomic_bool stop;

static void is_sent_beside(int sig)
{
	char *here = __builtin_frame_address(0);

	(void)sig;
	CHECK(!low || here < low || here >= alt + ALT);
	inner++;
}

static void fills_its_stack(int sig)
{
	char *top = __builtin_frame_address(0);
	size_t bytes = (size_t)(top - alt) - LEFT;
	volatile char *filled = alloca(bytes);

	(void)sig;
	memset((char *)filled, PATTERN, bytes);
	low = (char *)filled;
	begun++;
	while (!stop)
		for (size_t i = 0; i < bytes; i++)
			CHECK(filled[i] == PATTERN);
	low = NULL;
}

static void *is_signalled(void *arg)
{
	stack_t ss = { .ss_sp = alt = malloc(ALT), .ss_size = ALT };
	sigset_t none;

	CHECK(alt);
	CHECK_OK(sigaltstack(&ss, NULL));
	sigemptyset(&none);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &none, NULL));
	CHECK_OK(raise(SIGUSR1));
	ss.ss_flags = SS_DISABLE;
	CHECK_OK(sigaltstack(&ss, NULL));
	free(alt);
	return arg;
}

static double seconds(void)
{
	struct timespec t;

	CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &t));
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = fills_its_stack, .sa_flags = SA_ONSTACK | SA_RESTART };
	pthread_t t[THREADS];
	sigset_t all;

	CHECK_OK(sigaddset(&sa.sa_mask, SIGUSR2));
	CHECK_OK(sigaction(SIGUSR1, &sa, NULL));
	sa.sa_handler = is_sent_beside;
	CHECK_OK(sigaction(SIGUSR2, &sa, NULL));
	CHECK_OK(sigaction(SIGALRM, &sa, NULL));
	sigfillset(&all);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &all, NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_create(&t[i], NULL, is_signalled, NULL));
	while (begun < THREADS)
		usleep(1000);
	for (double end = seconds() + SECONDS; seconds() < end; usleep(200))
		for (int i = 0; i < THREADS; i++) {
			CHECK_OK(pthread_kill(t[i], SIGUSR2));
			CHECK_OK(pthread_kill(t[i], SIGALRM));
		}
	stop = true;
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_join(t[i], NULL));
	CHECK(inner > 0);
	return 0;
}
