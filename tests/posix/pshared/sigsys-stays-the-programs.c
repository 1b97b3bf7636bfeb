// SPDX-License-Identifier: BSD-2-Clause
// A program that handles SIGSYS for itself, from a filter of its own, gets it in spite of waits for
// shared objects, with the call's number.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "pshared.h"

static struct objects *o;
static atomic_int handled, entered;

static void handler(int sig, siginfo_t *info, void *uc UNUSED)
{
	CHECK_EQ(sig, SIGSYS);
	CHECK_EQ(info->si_syscall, SYS_getpgid);
	atomic_fetch_add(&handled, 1);
}

static void *body(void *arg UNUSED)
{
	atomic_fetch_add(&entered, 1);
	CHECK_OK(sem_wait(&o->sem));
	syscall(SYS_getpgid, 0);
	return NULL;
}

int main(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof code / sizeof *code, code };
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO }, got;
	enum { N = 4 };
	pthread_t t[N];

	o = make_objects(1);
	CHECK_OK(sigaction(SIGSYS, &sa, NULL));
	CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		skip("no filter can be installed");
	spawn_many(t, N, body);
	WAIT_FOR(atomic_load(&entered) == N);
	settle();
	for (int i = 0; i < N; i++)
		CHECK_OK(sem_post(&o->sem));
	join_many(t, N);
	CHECK_EQ(atomic_load(&handled), N);
	CHECK_OK(sigaction(SIGSYS, NULL, &got));
	CHECK(got.sa_sigaction == handler);
}
