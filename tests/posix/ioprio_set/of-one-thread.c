// SPDX-License-Identifier: BSD-2-Clause
// The priority of disk accesses, ioprio_set(2), is of the thread that is named: of the caller (0), or of another by
// its gettid number, by which ioprio_get tells it; no others have it.
#include "../apart.h"

enum { OF_THREAD = 1, BEST_EFFORT = 2, SHIFT = 13, MINE = BEST_EFFORT << SHIFT | 6, GIVEN = BEST_EFFORT << SHIFT | 3 };

static atomic_int named;
static atomic_bool may_end;

static int get(int tid)
{
	return (int)syscall(SYS_ioprio_get, OF_THREAD, tid);
}

static void set(void)
{
	if (syscall(SYS_ioprio_set, OF_THREAD, 0, MINE))
		skip("no ioprio_set here");
	CHECK_EQ(get((int)syscall(SYS_gettid)), MINE);
}

static bool is_set(void)
{
	int mine = get(0);

	CHECK(mine >= 0);
	return mine == MINE;
}

static void *is_given(void *arg)
{
	named = (int)syscall(SYS_gettid);
	WAIT_FOR(get(0) == GIVEN);
	usleep(500);
	CHECK_EQ(get(named), GIVEN);
	WAIT_FOR(may_end);
	CHECK_EQ(get(0), GIVEN);
	return arg;
}

int main(void)
{
	pthread_t t;

	apart_run(set, is_set, APART_FOR_ITSELF);
	t = spawn(is_given, NULL);
	WAIT_FOR(named);
	CHECK(get(named) != GIVEN);
	CHECK_OK(syscall(SYS_ioprio_set, OF_THREAD, (int)named, GIVEN));
	CHECK_EQ(get(named), GIVEN);
	CHECK(get(0) != GIVEN);
	may_end = true;
	join(t);
	CHECK(get(0) != GIVEN);
}
