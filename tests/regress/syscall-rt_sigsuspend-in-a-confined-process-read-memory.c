// SPDX-License-Identifier: BSD-2-Clause
// In a program that has confined itself, rt_sigsuspend by number made another call first.
#include "../posix/confine.h"

static pthread_t main_thread;
static atomic_int refused;

static void trapped(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	if (refused++ == 0)
		dprintf(2, "refused: call %d\n", info->si_syscall);
}

static void ignore(int sig UNUSED)
{
}

static void *sends(void *arg)
{
	sleep_ms(50);
	CHECK_OK(pthread_kill(main_thread, SIGUSR1));
	return arg;
}

int main(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const uint64_t none = 0;

	main_thread = pthread_self();
	on_signal(SIGUSR1, ignore, 0);
	block_signal(SIGUSR1);
	pthread_t t = spawn(sends, NULL);

	confine_all(code, sizeof(code) / sizeof(*code), trapped);
	CHECK_ERRNO(syscall(SYS_rt_sigsuspend, &none, sizeof(none)), EINTR);
	join(t);
	CHECK_EQ(refused, 0);
}
