// SPDX-License-Identifier: BSD-2-Clause
// In the child everything that waits works again: sleeping, pipes, conditions with deadlines,
// poll.
#include "../harness.h"

static void *writer(void *arg)
{
	sleep_ms(2);
	CHECK_EQ(write((int)(intptr_t)arg, "x", 1), 1);
	return NULL;
}

static void use_everything(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec at;
	struct pollfd f;
	pthread_t t;
	int p[2], rc;
	char c;

	CHECK_OK(pipe(p));
	t = spawn(writer, (void *)(intptr_t)p[1]);
	f = (struct pollfd){ .fd = p[0], .events = POLLIN };
	CHECK_EQ(poll(&f, 1, PATIENCE_MS), 1);
	CHECK_EQ(read(p[0], &c, 1), 1);
	join(t);
	pthread_mutex_lock(&lock);
	at = in_ms(CLOCK_REALTIME, 5);
	while ((rc = pthread_cond_timedwait(&cond, &lock, &at)) == 0)
		;
	CHECK_EQ(rc, ETIMEDOUT);
}

static void grandchild(void)
{
	use_everything();
	CHECK_EQ(in_child(use_everything), 0);
}

static void *body(void *arg UNUSED)
{
	use_everything();
	CHECK_EQ(in_child(grandchild), 0);
	use_everything();
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
	CHECK_EQ(in_child(grandchild), 0);
}
