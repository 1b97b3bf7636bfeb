// SPDX-License-Identifier: BSD-2-Clause
// A new thread found the resolver's state (_res) of one which had ended before it: its options were in force.
#include <netinet/in.h>
#include <resolv.h>

#include "../posix/harness.h"

enum { RETRIES = 7, ROUNDS = 20 };

static void *sets(void *arg)
{
	CHECK_OK(res_init());
	CHECK(_res.options & RES_INIT);
	_res.retry = RETRIES;
	return arg;
}

static void *looks(void *arg)
{
	CHECK(!(_res.options & RES_INIT) || _res.retry != RETRIES);
	return arg;
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		join(spawn(sets, NULL));
		join(spawn(looks, NULL));
	}
}
