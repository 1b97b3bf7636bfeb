// SPDX-License-Identifier: BSD-2-Clause
// pthread_getattr_np tells the detach state and stack of another, living thread.
#include "../harness.h"

static atomic_bool go;
static void *_Atomic local;

static void *body(void *arg UNUSED)
{
	char here;

	local = (void *)(intptr_t)&here;
	WAIT_FOR(go);
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	pthread_attr_t a;
	void *base;
	size_t size;
	int state = -1;

	WAIT_FOR(local);
	CHECK_OK(pthread_detach(t));
	CHECK_OK(pthread_getattr_np(t, &a));
	CHECK_OK(pthread_attr_getdetachstate(&a, &state));
	CHECK_EQ(state, PTHREAD_CREATE_DETACHED);
	CHECK_OK(pthread_attr_getstack(&a, &base, &size));
	CHECK((char *)local >= (char *)base && (char *)local < (char *)base + size);
	go = true;
	settle();
}
