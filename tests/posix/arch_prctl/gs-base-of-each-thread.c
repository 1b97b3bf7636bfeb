// SPDX-License-Identifier: BSD-2-Clause
// The GS base is each thread's own, as Wine's threads want it, by number and by libc's function, which has two names.
#include "../harness.h"

#ifdef __x86_64__
#include <asm/prctl.h>

extern int arch_prctl(int code, unsigned long address);
extern int __arch_prctl(int code, unsigned long address);

static uintptr_t at_gs(void)
{
	uintptr_t value;

	__asm__ volatile("mov %%gs:0, %0" : "=r"(value));
	return value;
}

static void *body(void *arg)
{
	uintptr_t block[2] = { (uintptr_t)arg }, told;

	if ((uintptr_t)arg % 3 == 0)
		CHECK_EQ(syscall(SYS_arch_prctl, ARCH_SET_GS, block), 0);
	else if ((uintptr_t)arg % 3 == 1)
		CHECK_EQ(__arch_prctl(ARCH_SET_GS, (unsigned long)block), 0);
	else
		CHECK_EQ(arch_prctl(ARCH_SET_GS, (unsigned long)block), 0);
	for (int i = 0; i < 200; i++) {
		CHECK_EQ(at_gs(), (uintptr_t)arg);
		CHECK_EQ(syscall(SYS_arch_prctl, ARCH_GET_GS, &told), 0);
		CHECK_EQ(told, (uintptr_t)block);
		if (i % 20)
			sched_yield();
		else
			usleep(200);
	}
	CHECK_EQ(arch_prctl(ARCH_SET_GS, 0), 0);
	return NULL;
}

int main(void)
{
	pthread_t t[6];

	body((void *)7);
	for (intptr_t i = 0; i < 6; i++)
		t[i] = spawn(body, (void *)(i + 1));
	body((void *)8);
	join_many(t, 6);
	return 0;
}
#else
int main(void)
{
	return 77;
}
#endif
