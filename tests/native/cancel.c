// SPDX-License-Identifier: BSD-2-Clause
/* The cancel flag: it ends one wait of every kind that may end so, and stays. */
#include "check.h"

static struct upcall_sem sem;
static struct upcall_mutex mutex;
static struct upcall_cond cond;
static struct upcall_event event;
static int pipe_ends[2];

static int wait_park(void) { return upcall_park(); }
static int wait_sleep(void) { return upcall_sleep(3600 * 1000 * MS); }
static int wait_sem(void) { return upcall_sem_wait(&sem); }
static int wait_event(void) { return upcall_event_wait(&event); }
static int wait_read(void) { char c; return (int)upcall_read(pipe_ends[0], &c, 1); }

static int wait_cond(void)
{
	upcall_mutex_lock(&mutex);
	int err = upcall_cond_wait(&cond, &mutex);

	CHECK_IS(upcall_mutex_trylock(&mutex), -EBUSY);
	upcall_mutex_unlock(&mutex);
	return err;
}

static int (*waits[])(void) = { wait_park, wait_sleep, wait_sem, wait_event, wait_read, wait_cond };

static void *wait_for(void *arg)
{
	int (*wait)(void) = waits[(size_t)arg];

	CHECK_IS(wait(), -ECANCELED);
	CHECK(upcall_is_cancelled());
	return NULL;
}

static void test(void)
{
	CHECK_IS(pipe(pipe_ends), 0);
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		for (int late = 0; late < 2; late++) {
			upcall_t t = spawn(wait_for, (void *)i);

			if (late)
				upcall_sleep(10 * MS);	/* it waits; else it may not even have begun */
			CHECK_IS(upcall_cancel(t), 0);
			join(t);
		}
}
