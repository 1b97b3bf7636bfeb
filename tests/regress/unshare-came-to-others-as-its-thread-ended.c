// SPDX-License-Identifier: BSD-2-Clause
// A thread that has left the others' file system (umask) ends, and whoever joins it is woken by its kernel thread: one that
// was made for that, just then, and was to run the others, had the umask, too.
#include "../posix/harness.h"
#include <sys/stat.h>

enum { MASK = 0137, OTHERS = 4, ROUNDS = 150 };

static mode_t old_mask;
static atomic_bool stop;

/* Umask can only be asked for by setting it. */
static mode_t mask_now(void)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/tmp/upcall-mask-%d-%lx", (int)getpid(), (unsigned long)pthread_self());
	unlink(path);
	CHECK_OK(mkfifo(path, 0777));
	CHECK_OK(stat(path, &st));
	CHECK_OK(unlink(path));
	return 0777 & ~st.st_mode;
}

static void *leaves(void *arg)
{
	unshare_or_skip(CLONE_FS);
	umask(MASK);
	return arg;
}

static void *stays(void *arg)
{
	while (!stop) {
		CHECK_EQ(mask_now(), old_mask);
		usleep(100);
	}
	return arg;
}

int main(void)
{
	pthread_t t[OTHERS];

	old_mask = mask_now();
	CHECK(old_mask != MASK);
	spawn_many(t, OTHERS, stays);
	for (int round = 0; round < ROUNDS; round++) {
		join(spawn(leaves, NULL));
		CHECK_EQ(mask_now(), old_mask);
	}
	stop = true;
	join_many(t, OTHERS);
}
