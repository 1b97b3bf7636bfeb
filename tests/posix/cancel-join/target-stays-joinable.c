// SPDX-License-Identifier: BSD-2-Clause
// pthread_join is a cancellation point; the target of a cancelled joiner can still be joined.
#include "../cancel.h"

static atomic_bool go;

static void *target(void *arg)
{
	WAIT_FOR(go);
	return arg;
}

static void call(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
}

int main(void)
{
	pthread_t t = spawn(target, &t);

	check_cancels(call, &t);
	go = true;
	CHECK(join(t) == &t);
}
