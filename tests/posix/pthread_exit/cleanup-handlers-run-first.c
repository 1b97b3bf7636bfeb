// SPDX-License-Identifier: BSD-2-Clause
// pthread_exit runs the cleanup handlers, newest first, and then the destructors of keys.
#include "../harness.h"

static char order[8];
static int n;
static pthread_key_t key;

static void note(void *arg)
{
	order[n++] = *(char *)arg;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, "k"));
	pthread_cleanup_push(note, "a");
	pthread_cleanup_push(note, "b");
	pthread_exit(arg);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, note));
	join(spawn(body, NULL));
	CHECK_EQ(strcmp(order, "bak"), 0);
}
