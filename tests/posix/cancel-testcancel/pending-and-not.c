// SPDX-License-Identifier: BSD-2-Clause
// pthread_testcancel acts on a pending request and does nothing otherwise.
#include "../cancel.h"

static void call(void *arg UNUSED)
{
	pthread_testcancel();
}

static void *none_pending(void *arg)
{
	for (int i = 0; i < 1000; i++)
		pthread_testcancel();
	return arg;
}

int main(void)
{
	int x;

	CHECK(join(spawn(none_pending, &x)) == &x);
	check_cancels_pending(call, NULL);
}
