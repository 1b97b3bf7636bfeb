// SPDX-License-Identifier: BSD-2-Clause
// uselocale is per thread; a new thread has the global locale.
#include "../harness.h"
#include <ctype.h>
#include <locale.h>

static atomic_int step;

static void *body(void *arg UNUSED)
{
	CHECK(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
	CHECK(isalpha('a') && !isalpha('1'));
	CHECK_EQ(toupper('x'), 'X');
	step = 1;
	WAIT_FOR(step == 2);
	CHECK(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
	return NULL;
}

static void *sets(void *arg)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	CHECK(uselocale(c) == LC_GLOBAL_LOCALE);
	sleep_ms(1);
	CHECK(uselocale((locale_t)0) == c);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(step == 1);
	for (int i = 0; i < 5; i++)
		join(spawn(sets, NULL));
	step = 2;
	join(t);
	join(spawn(sets, NULL));
}
