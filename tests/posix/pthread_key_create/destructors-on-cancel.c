// SPDX-License-Identifier: BSD-2-Clause
// Key destructors run for a cancelled thread, after its cleanup handlers.
#include "../harness.h"

static pthread_key_t key;
static char order[4];
static int n;
static atomic_bool ready;

static void destroy(void *p UNUSED)
{
	order[n++] = 'd';
}

static void clean(void *p UNUSED)
{
	order[n++] = 'c';
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, arg));
	pthread_cleanup_push(clean, NULL);
	ready = true;
	for (;;)
		pause();
	pthread_cleanup_pop(0);
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_key_create(&key, destroy));
	t = spawn(body, &key);
	WAIT_FOR(ready);
	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(!strcmp(order, "cd"));
}
