// SPDX-License-Identifier: BSD-2-Clause
// setresuid changes all threads, helpers of libc's included, where nobody can list them: in an empty root, and with no
// descriptor left.
#include "../harness.h"
#include <sys/resource.h>

#define N 4
#define ID 54321

static atomic_int here, callbacks, wrong;
static atomic_bool go;

static bool has_ids(void)
{
	return syscall(SYS_geteuid) == ID && syscall(SYS_getuid) == ID;
}

static void *body(void *arg)
{
	here++;
	while (!go)
		arg ? sleep_ms(1) : (void)sched_yield();
	CHECK(has_ids());
	return NULL;
}

/* On a kernel thread of libc's, which its helper makes. */
static void note(union sigval value UNUSED)
{
	if (go && !has_ids())
		wrong++;
	callbacks++;
}

static void change_and_look(void (*hide_the_list)(void))
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = note };
	struct itimerspec v = { ms_span(5), ms_span(5) };
	pthread_t t[N];
	timer_t timer;

	for (intptr_t i = 0; i < N; i++)
		t[i] = spawn(body, (void *)(i % 2));
	WAIT_FOR(here == N);
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(timer_settime(timer, 0, &v, NULL));
	WAIT_FOR(callbacks > 1);
	hide_the_list();
	CHECK_OK(setresuid(ID, ID, ID));
	CHECK(has_ids());
	go = true;
	join_many(t, N);
	int had = callbacks;
	WAIT_FOR(callbacks > had + 2);
	CHECK_EQ(wrong, 0);
	join(spawn(body, NULL));
}

static void enter_an_empty_root(void)
{
	CHECK_OK(mkdir("empty", 0700));
	CHECK_OK(chroot("empty"));
}

static void leave_no_descriptor(void)
{
	struct rlimit none = { 0, 0 };

	CHECK_OK(setrlimit(RLIMIT_NOFILE, &none));
}

static void in_an_empty_root(void)
{
	change_and_look(enter_an_empty_root);
}

static void with_no_descriptor(void)
{
	change_and_look(leave_no_descriptor);
}

int main(void)
{
	if (getuid() != 0)
		skip("only root can change its user");
	if (is_due(0, 32))
		CHECK_EQ(in_child(in_an_empty_root), 0);
	if (is_due(1, 32))
		CHECK_EQ(in_child(with_no_descriptor), 0);
}
