// SPDX-License-Identifier: BSD-2-Clause
// While cancellation is disabled no cancellation point acts; it does after enabling.
#include "../cancel.h"

static atomic_bool disabled, requested, slept;

static void *body(void *arg UNUSED)
{
	int old = -1;

	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	CHECK_EQ(old, PTHREAD_CANCEL_ENABLE);
	disabled = true;
	WAIT_FOR(requested);
	pthread_testcancel();
	poll(NULL, 0, 1);
	slept = true;
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	CHECK_EQ(old, PTHREAD_CANCEL_DISABLE);
	pthread_testcancel();
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	CHECK_EQ(pthread_setcancelstate(99, NULL), EINVAL);
	CHECK_EQ(pthread_setcanceltype(99, NULL), EINVAL);
	WAIT_FOR(disabled);
	CHECK_OK(pthread_cancel(t));
	requested = true;
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(slept);
}
