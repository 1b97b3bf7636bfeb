// SPDX-License-Identifier: BSD-2-Clause
// A child of fork changes its user while it has threads of its own, whatever the parent's threads did at the moment of the
// fork: they change theirs all the time.
#include "../harness.h"

static atomic_bool stop;

static void *changes(void *arg)
{
	while (!stop)
		CHECK_OK(seteuid(geteuid()));
	return arg;
}

static void change_with_a_thread(void)
{
	join(spawn(nothing, NULL));
	CHECK_OK(seteuid(geteuid()));
}

int main(void)
{
	pthread_t t = spawn(changes, NULL);

	for (int i = 0; i < 10; i++)
		CHECK_EQ(in_child(change_with_a_thread), 0);
	stop = true;
	join(t);
}
