// SPDX-License-Identifier: BSD-2-Clause
// pthread_attr_getguardsize gives back what was set, without rounding; zero is allowed.
#include "../harness.h"

static void *body(void *arg)
{
	return arg;
}

static char tag;

int main(void)
{
	static const size_t sizes[] = { 0, 1, 4096, 65536 };
	pthread_attr_t a;
	pthread_t t;
	size_t got;

	CHECK_OK(pthread_attr_init(&a));
	for (int i = 0; i < 4; i++) {
		CHECK_OK(pthread_attr_setguardsize(&a, sizes[i]));
		CHECK_OK(pthread_attr_getguardsize(&a, &got));
		CHECK_EQ(got, sizes[i]);
		CHECK_OK(pthread_create(&t, &a, body, &tag));
		CHECK(join(t) == &tag);
	}
}
