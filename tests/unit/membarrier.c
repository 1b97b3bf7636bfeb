// SPDX-License-Identifier: BSD-2-Clause
/*
 * The barrier that the kernel makes for both sides, so that one of two needs none: of two that each write and then
 * look, one sees the other.  As the kernel has it, and where a filter refuses it.  On one processor it shows nothing, and
 * on one that others keep busy there are fewer rounds.
 */
#include "threads.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "sys/sys.h"

enum { ROUNDS = 20000, LONGEST_S = 10, LOOKS = 1000 };

#define END UINT32_MAX		/* of the turns */

static struct au32 of_fast, of_slow, fast_saw, turn, done;

static void pause_for(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++)
		;
}

/* The other may have no processor. */
static void await(const struct au32 *word, uint32_t value)
{
	for (unsigned looks = 1; load_acquire(word) < value; looks++)
		if (looks % LOOKS == 0)
			sched_yield();
}

static void *writes_and_looks(void *arg)
{
	for (uint32_t round = 1;; round++) {
		await(&turn, round);
		if (load_relaxed(&turn) == END)
			return arg;
		pause_for(round % 64);
		store_relaxed(&of_fast, round);
		compiler_barrier();
		store_relaxed(&fast_saw, load_relaxed(&of_slow));
		store_release(&done, round);
	}
}

static void check_order(void)
{
	uint64_t end = in_ms(LONGEST_S * 1000);
	pthread_t t;

	store_relaxed(&turn, 0);
	store_relaxed(&done, 0);
	store_relaxed(&of_fast, 0);
	store_relaxed(&of_slow, 0);
	t = spawn(writes_and_looks, NULL);
	for (uint32_t round = 1; round <= ROUNDS && now_ns() < end; round++) {
		store_release(&turn, round);
		pause_for(32);
		store_relaxed(&of_slow, round);
		sys_membarrier();
		uint32_t slow_saw = load_relaxed(&of_fast);

		await(&done, round);
		CHECK(slow_saw == round || load_relaxed(&fast_saw) == round);
	}
	store_release(&turn, END);
	join(t);
}

static void refuse(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		dprintf(1, "no seccomp\n");
		_exit(77);
	}
}

int main(void)
{
	if (sys_membarrier_init())
		check_order();
	refuse();
	CHECK(!sys_membarrier_init());
	check_order();
	return 0;
}
