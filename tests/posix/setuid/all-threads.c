// SPDX-License-Identifier: BSD-2-Clause
// setresuid, setresgid and setgroups by one thread change all threads, waiting and later ones too.
#include "../harness.h"
#include <grp.h>

#define N 4
#define ID 54321

static atomic_int here;
static atomic_bool go;

static void check_ids(void)
{
	uid_t r, e, s;
	gid_t g;

	CHECK_OK(getresuid(&r, &e, &s));
	CHECK(r == ID && e == ID && s == ID);
	CHECK_EQ(syscall(SYS_geteuid), ID);
	CHECK_EQ(getegid(), ID);
	CHECK_EQ(getgroups(1, &g), 1);
	CHECK_EQ(g, ID + 1);
}

static void *body(void *arg)
{
	here++;
	while (!go)
		arg ? sleep_ms(1) : (void)sched_yield();
	check_ids();
	return NULL;
}

static void *changes(void *arg UNUSED)
{
	gid_t g = ID + 1;

	CHECK_OK(setgroups(1, &g));
	CHECK_OK(setresgid(ID, ID, ID));
	CHECK_OK(setresuid(ID, ID, ID));
	check_ids();
	return NULL;
}

static void *later(void *arg UNUSED)
{
	check_ids();
	return NULL;
}

static void child(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	WAIT_FOR(here == N);
	settle();
	join(spawn(changes, NULL));
	check_ids();
	go = true;
	join_many(t, N);
	for (int i = 0; i < 10; i++)
		join(spawn(later, NULL));
}

int main(void)
{
	if (getuid() != 0)
		skip("only root can change its user");
	CHECK_EQ(in_child(child), 0);
}
