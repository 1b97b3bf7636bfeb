// SPDX-License-Identifier: BSD-2-Clause
// A session keyring that a thread joins is its own and that of threads that it makes then, session-keyring(7); a
// thread keyring is its own, thread-keyring(7).
#include "../apart.h"
#include <linux/keyctl.h>

static atomic_int joined, made;

static int id_of(int which, int create)
{
	return (int)syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, which, create);
}

static void join_session(void)
{
	joined = (int)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	if (joined <= 0)
		skip("may join no session keyring");
}

static bool has_joined(void)
{
	int id = id_of(KEY_SPEC_SESSION_KEYRING, 0);

	return id > 0 && id == joined;
}

static void make_keyring(void)
{
	made = id_of(KEY_SPEC_THREAD_KEYRING, 1);
	CHECK(made > 0);
}

static bool has_keyring(void)
{
	int id = id_of(KEY_SPEC_THREAD_KEYRING, 0);

	CHECK(id == made || (id == -1 && errno == ENOKEY));
	return id > 0;
}

int main(void)
{
	apart_run(join_session, has_joined, APART_WITH_CHILDREN);
	apart_run(make_keyring, has_keyring, APART_FOR_ITSELF);
}
