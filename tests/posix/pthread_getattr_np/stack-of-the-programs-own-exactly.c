// SPDX-License-Identifier: BSD-2-Clause
// Of a thread that was given its stack by pthread_attr_setstack, pthread_getattr_np tells that address and size
// exactly, also where they are no whole pages, to the thread itself, in a handler, and to others; and its detach
// state.
#include "../harness.h"

enum { AREA = 1 << 20 };

struct given {
	char *low;
	size_t bytes;
};

static const struct given *current;
static sem_t is_there, may_end;
static atomic_bool has_handled;

static void check(pthread_t t, const struct given *g, int want_state)
{
	pthread_attr_t a;
	void *low;
	size_t bytes;
	int state;

	CHECK_OK(pthread_getattr_np(t, &a));
	CHECK_OK(pthread_attr_getstack(&a, &low, &bytes));
	CHECK_EQ((uintptr_t)low, (uintptr_t)g->low);
	CHECK_EQ(bytes, g->bytes);
	CHECK_OK(pthread_attr_getstacksize(&a, &bytes));
	CHECK_EQ(bytes, g->bytes);
	CHECK_OK(pthread_attr_getdetachstate(&a, &state));
	CHECK_EQ(state, want_state);
	CHECK_OK(pthread_attr_destroy(&a));
}

static void handler(int sig UNUSED)
{
	check(pthread_self(), current, PTHREAD_CREATE_JOINABLE);
	has_handled = true;
}

static void *body(void *arg)
{
	const struct given *g = arg;
	char here;
	char *p = (char *)(uintptr_t)&here;

	CHECK(p >= g->low && p < g->low + g->bytes);
	check(pthread_self(), g, PTHREAD_CREATE_JOINABLE);
	CHECK_OK(raise(SIGUSR1));
	CHECK(has_handled);
	CHECK_OK(sem_post(&is_there));
	CHECK_OK(sem_wait(&may_end));
	return arg;
}

static void run_on(struct given g)
{
	pthread_attr_t a;
	pthread_t t;

	current = &g;
	has_handled = false;
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstack(&a, g.low, g.bytes));
	CHECK_OK(pthread_create(&t, &a, body, &g));
	CHECK_OK(pthread_attr_destroy(&a));
	CHECK_OK(sem_wait(&is_there));
	check(t, &g, PTHREAD_CREATE_JOINABLE);
	CHECK_OK(sem_post(&may_end));
	CHECK(join(t) == &g);
}

int main(void)
{
	char *area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(area != MAP_FAILED);
	CHECK_OK(sem_init(&is_there, 0, 0));
	CHECK_OK(sem_init(&may_end, 0, 0));
	on_signal(SIGUSR1, handler, 0);
	run_on((struct given){ area, 128 * 1024 });
	run_on((struct given){ area, AREA });
	run_on((struct given){ area + 4096, 128 * 1024 + 4096 });
	run_on((struct given){ area + 48, 100000 });
	run_on((struct given){ area + 4096 - 16, 65536 + 4000 });
}
