// SPDX-License-Identifier: BSD-2-Clause
// A thread that is the kernel's own, as its maker had changed what those that it makes inherit, had no name, or that of
// one that had ended, in place of its maker's.
#include "../posix/harness.h"
#include <sys/personality.h>

static void check_name(const char *is)
{
	char name[16];

	CHECK_OK(pthread_getname_np(pthread_self(), name, sizeof name));
	CHECK_OK(strcmp(name, is));
}

static void *changes_it(void *arg)
{
	check_name("maker");
	CHECK_OK(pthread_setname_np(pthread_self(), "first"));
	check_name("first");
	return arg;
}

static void *has_its_makers(void *arg)
{
	check_name("maker");
	return arg;
}

static void *makes(void *arg)
{
	CHECK_OK(pthread_setname_np(pthread_self(), "maker"));
	CHECK(personality((unsigned long)personality(0xffffffff)) != -1);
	for (int i = 0; i < 4; i++) {
		join(spawn(changes_it, NULL));
		join(spawn(has_its_makers, NULL));
	}
	check_name("maker");
	return arg;
}

int main(void)
{
	join(spawn(makes, NULL));
}
