// SPDX-License-Identifier: BSD-2-Clause
// What one thread has changed for itself alone (its file system's root and mask, that it gains no privileges) is so in
// the threads that it makes, and in theirs, and in no others.
#include "../harness.h"
#include <sys/prctl.h>
#include <sys/stat.h>

enum { MASK = 0137, OTHERS = 4, LATER = 8 };

static mode_t old_mask;
static bool had_no_new_privs;
static atomic_bool stop;

/*
 * Umask can only be asked for by setting it; and a file of /proc/thread-self is that of the kernel thread that opened it,
 * which may be another's by when it is read.
 */
static mode_t mask_now(void)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/tmp/upcall-umask-%d-%lx", (int)getpid(), (unsigned long)pthread_self());
	unlink(path);		/* as another that had this number has left it, perhaps */
	CHECK_OK(mkfifo(path, 0777));
	CHECK_OK(stat(path, &st));
	CHECK_OK(unlink(path));
	return 0777 & ~st.st_mode;
}

static void is_apart(bool apart)
{
	CHECK_EQ(mask_now(), apart ? MASK : old_mask);
	CHECK_EQ(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), apart || had_no_new_privs);
}

static void *grandchild(void *arg)
{
	is_apart(true);
	usleep(2000);
	is_apart(true);
	return arg;
}

static void *child(void *arg)
{
	pthread_t t[LATER];

	is_apart(true);
	spawn_many(t, LATER, grandchild);
	usleep(2000);
	is_apart(true);
	join_many(t, LATER);
	return arg;
}

static void *leaves(void *arg)
{
	pthread_t t[LATER];

	unshare_or_skip(CLONE_FS);
	umask(MASK);
	CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	spawn_many(t, LATER, child);
	join_many(t, LATER);
	is_apart(true);
	return arg;
}

static void *stays(void *arg)
{
	while (!stop) {
		is_apart(false);
		usleep(500);
	}
	return arg;
}

int main(void)
{
	pthread_t others[OTHERS], later[LATER];

	old_mask = mask_now();
	CHECK(old_mask != MASK);
	had_no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	spawn_many(others, OTHERS, stays);
	join(spawn(leaves, NULL));
	spawn_many(later, LATER, stays);
	usleep(20000);
	stop = true;
	join_many(others, OTHERS);
	join_many(later, LATER);
	is_apart(false);
}
