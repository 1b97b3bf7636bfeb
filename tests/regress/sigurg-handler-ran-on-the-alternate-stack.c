// SPDX-License-Identifier: BSD-2-Clause
// A handler of SIGURG runs on the alternate stack only if its action says so, as of any other signal: in threads that
// compute, wait, and have set their processors.
#include "../posix/harness.h"
#include <sched.h>

enum { KINDS = 3, EACH = 3, THREADS = KINDS * EACH, ROUNDS = 20, ALT = 1 << 17 };
enum kind { COMPUTES, WAITS, SETS_PROCESSORS };

static struct { pthread_t id; sem_t go; char *alt; atomic_int in, out; } threads[THREADS];
static __thread int mine;
static atomic_bool stop;
static atomic_int begun;

static void looks(int sig)
{
	char here, *low = threads[mine].alt;

	(void)sig;
	if (&here >= low && &here < low + ALT)
		threads[mine].in++;
	else
		threads[mine].out++;
}

static void *is_signalled(void *arg)
{
	mine = (int)(intptr_t)arg;
	enum kind kind = mine % KINDS;
	stack_t alt = { .ss_sp = threads[mine].alt, .ss_size = ALT };
	cpu_set_t set;

	CHECK_OK(sigaltstack(&alt, NULL));
	if (kind == SETS_PROCESSORS) {
		CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof(set), &set));
		CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof(set), &set));
	}
	begun++;
	while (!stop)
		if (kind != COMPUTES)
			while (sem_wait(&threads[mine].go) < 0)
				CHECK(errno == EINTR);
	alt.ss_flags = SS_DISABLE;
	CHECK_OK(sigaltstack(&alt, NULL));
	return NULL;
}

static void signal_all(int flags)
{
	struct sigaction sa = { .sa_handler = looks, .sa_flags = SA_RESTART | flags };

	CHECK_OK(sigaction(SIGURG, &sa, NULL));
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < THREADS; i++) {
			int before = threads[i].in + threads[i].out;

			CHECK_OK(pthread_kill(threads[i].id, SIGURG));
			while (threads[i].in + threads[i].out == before)
				usleep(100);
		}
	for (int i = 0; i < THREADS; i++) {
		CHECK(threads[i].in == (flags & SA_ONSTACK ? ROUNDS : 0));
		CHECK(threads[i].out == (flags & SA_ONSTACK ? 0 : ROUNDS));
		threads[i].in = threads[i].out = 0;
	}
}

int main(void)
{
	for (int i = 0; i < THREADS; i++) {
		threads[i].alt = malloc(ALT);
		CHECK(threads[i].alt);
		CHECK_OK(sem_init(&threads[i].go, 0, 0));
		CHECK_OK(pthread_create(&threads[i].id, NULL, is_signalled, (void *)(intptr_t)i));
	}
	while (begun < THREADS)
		usleep(1000);
	signal_all(0);
	signal_all(SA_ONSTACK);
	stop = true;
	for (int i = 0; i < THREADS; i++) {
		CHECK_OK(sem_post(&threads[i].go));
		CHECK_OK(pthread_join(threads[i].id, NULL));
		free(threads[i].alt);
	}
	return 0;
}
