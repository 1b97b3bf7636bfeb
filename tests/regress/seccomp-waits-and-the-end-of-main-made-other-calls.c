// SPDX-License-Identifier: BSD-2-Clause
// In a program that has confined itself, a wait asked for the kernel thread's real-time priority, where a policy had been set
// before, and main's pthread_exit made a barrier: calls that no thread of libc's makes there.
#include "../posix/confine.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t main_thread;
static atomic_bool is_held;
static atomic_int refused;

static void trapped(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	if (refused++ == 0)
		dprintf(2, "refused: call %d\n", info->si_syscall);
}

static void confine(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getparam, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	confine_all(code, sizeof(code) / sizeof(*code), trapped);
}

static void *holds(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	is_held = true;
	sleep_ms(30);
	CHECK_OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void *ends_the_process(void *arg)
{
	CHECK_OK(pthread_join(main_thread, NULL));
	sleep_ms(5);
	CHECK_EQ(refused, 0);
	exit(0);
	return arg;
}

int main(void)
{
	const struct sched_param none = { 0 };

	main_thread = pthread_self();
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_BATCH, &none));
	join(spawn(holds, NULL));
	is_held = false;
	confine();
	spawn(holds, NULL);
	WAIT_FOR(is_held);
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	spawn(ends_the_process, NULL);
	pthread_exit(NULL);
}
