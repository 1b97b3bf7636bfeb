// SPDX-License-Identifier: BSD-2-Clause
// NULL passes as the argument and as the result; the result may be ignored when joining.
#include "../harness.h"

static void *body(void *arg)
{
	CHECK(arg == NULL);
	return NULL;
}

int main(void)
{
	void *result = (void *)1;
	pthread_t t = spawn(body, NULL);

	CHECK_OK(pthread_join(t, &result));
	CHECK(result == NULL);
	CHECK_OK(pthread_join(spawn(body, NULL), NULL));
}
