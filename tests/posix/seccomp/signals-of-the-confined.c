// SPDX-License-Identifier: BSD-2-Clause
// In a program that has confined itself (seccomp) signals come as ever: for a thread that waits, by pthread_kill and
// by pthread_sigqueue, and for the process, from outside. What the filter traps is answered on the thread that called.
#include "../confine.h"
#include <ucontext.h>

enum { THREADS = 4, ROUNDS = 20, ANSWER = 4711 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool is_over;			/* under lock */
static int p[2];
static atomic_int got, got_usr2;
static __thread atomic_int mine, traps;
static atomic_int *where[2 * THREADS];

static void count(int sig UNUSED)
{
	mine++;
	got++;
}

static void count_process(int sig UNUSED)
{
	got_usr2++;
}

static void trapped(int sig UNUSED, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	CHECK_EQ(info->si_syscall, SYS_getppid);
	CHECK(info->si_call_addr == (void *)uc->uc_mcontext.gregs[REG_RIP]);
	traps++;
	uc->uc_mcontext.gregs[REG_RAX] = uc->uc_mcontext.gregs[REG_RDI] + ANSWER;
}

static void confine(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	confine_all(code, sizeof(code) / sizeof(*code), trapped);
}

static void *waits(void *arg)
{
	long i = (long)arg;
	char c;

	__atomic_store_n(&where[i], &mine, __ATOMIC_SEQ_CST);
	if (i % 2) {
		CHECK_EQ(read(p[0], &c, 1), 1);
	} else {
		CHECK_OK(pthread_mutex_lock(&lock));
		while (!is_over)
			CHECK_OK(pthread_cond_wait(&cond, &lock));
		CHECK_OK(pthread_mutex_unlock(&lock));
	}
	for (int n = 0; n < ROUNDS; n++)
		CHECK_EQ(syscall(SYS_getppid, i), ANSWER + i);
	CHECK_EQ(traps, ROUNDS);
	return NULL;
}

static void *sends(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		int before = got_usr2;
		pid_t pid = fork();

		if (pid == 0)
			_exit(kill(*(pid_t *)arg, SIGUSR2) != 0);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
		WAIT_FOR(got_usr2 == before + 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2 * THREADS];
	pid_t me = getpid();

	CHECK_OK(pipe(p));
	on_signal(SIGUSR1, count, SA_RESTART);
	on_signal(SIGUSR2, count_process, SA_RESTART);
	for (long i = 0; i < THREADS; i++)
		t[i] = spawn(waits, (void *)i);
	sleep_ms(10);
	confine();
	for (long i = THREADS; i < 2 * THREADS; i++)
		t[i] = spawn(waits, (void *)i);
	for (int i = 0; i < 2 * THREADS; i++)
		WAIT_FOR(__atomic_load_n(&where[i], __ATOMIC_SEQ_CST));
	for (int n = 0; n < ROUNDS; n++) {
		for (int i = 0; i < 2 * THREADS; i++) {
			int before = *where[i];

			if (n % 2)
				CHECK_OK(pthread_kill(t[i], SIGUSR1));
			else
				CHECK_OK(pthread_sigqueue(t[i], SIGUSR1, (union sigval){ .sival_int = n }));
			WAIT_FOR(*where[i] == before + 1);
		}
	}
	join(spawn(sends, &me));
	CHECK_OK(pthread_mutex_lock(&lock));
	is_over = true;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_EQ(write(p[1], "xxxxxxxx", 2 * THREADS / 2), 2 * THREADS / 2);
	join_many(t, 2 * THREADS);
	CHECK_EQ(got, ROUNDS * 2 * THREADS);
}
