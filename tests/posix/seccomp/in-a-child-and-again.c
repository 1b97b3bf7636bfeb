// SPDX-License-Identifier: BSD-2-Clause
// A child of fork's or vfork's that confines itself confines nobody else; one that is confined already may ask for more,
// in vain too, and goes on to make threads.
#include "../harness.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

enum { CHILDREN = 20, OTHERS = 4 };

static atomic_bool stop;

/* Setting one's CPUs, and perf, is what no thread here does. */
static struct sock_filter code[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 1, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
static struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

static int confine(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static void *waits(void *arg)
{
	while (!stop)
		usleep(200);
	return arg;
}

static void *naps(void *arg)
{
	sleep_ms(1);
	return arg;
}

static void grandchild(void)
{
	join(spawn(naps, NULL));
}

static void child(void)
{
	pthread_t t[OTHERS];

	CHECK_OK(confine());
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (void *)1, 0, 0), -1);
	spawn_many(t, OTHERS, naps);
	join_many(t, OTHERS);
	CHECK_EQ(in_child(grandchild), 0);
}

int main(void)
{
	pthread_t t[OTHERS];
	int before = prctl(PR_GET_SECCOMP);		/* in a container there may be one */

	spawn_many(t, OTHERS, waits);
	for (int i = 0; i < CHILDREN; i++) {
		int status;

		CHECK_EQ(in_child(child), 0);
		pid_t pid = vfork();

		if (pid == 0)
			_exit(confine());
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
		join(spawn(naps, NULL));
	}
	CHECK_EQ(prctl(PR_GET_SECCOMP), before);
	stop = true;
	join_many(t, OTHERS);
}
