// SPDX-License-Identifier: BSD-2-Clause
// Pseudo-registers say, without a call, which thread this is, on which vproc and processor, and how many there are.
#include "affinity.h"

#include <stdatomic.h>
#include <upcall/page.h>

static const volatile struct upcall_registers *r;
static atomic_bool is_over;
static atomic_uint seen_ids[4];

static void *look(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	seen_ids[i] = upcall_register_thread(r);
	while (!is_over) {
		uint32_t id = upcall_register_thread(r);
		int32_t vproc = upcall_register_vproc(r), cpu = upcall_register_processor(r);

		CHECK_IS(id, seen_ids[i]);	/* it moves with the thread */
		CHECK(vproc >= 0 && (uint32_t)vproc < r->vprocs_given);
		CHECK(cpu >= -1 && cpu < CPU_SETSIZE);
		upcall_yield();
	}
	return NULL;
}

static void test_threads(const cpu_set_t *mask)
{
	upcall_t t[4];
	uint64_t start;

	for (uintptr_t i = 0; i < 4; i++)
		t[i] = spawn(look, (void *)i);
	CHECK_IS(upcall_register_thread(r), 1);
	CHECK(r->vprocs_given >= 1 && (int)r->vprocs_given <= CPU_COUNT(mask));
	/* Four that never wait want as many, or nearly: one may just be on its way. */
	start = upcall_now();
	while (r->vprocs_wanted < 3)
		CHECK(upcall_now() - start < 10000 * MS && upcall_sleep(MS) == 0);
	is_over = true;
	for (int i = 0; i < 4; i++)
		join(t[i]);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			CHECK(seen_ids[i] != seen_ids[j] && seen_ids[i] > 1);
	/* None, when all have slept for a while. */
	start = upcall_now();
	while (r->vprocs_wanted != 0)
		CHECK(upcall_now() - start < 10000 * MS && usleep(1000) == 0 && upcall_sleep(50 * MS) == 0);
}

static atomic_int cpu_wanted;
static atomic_uint right_looks;

static void *look_at_processor(void *arg)
{
	while (!is_over) {
		int before = upcall_register_processor(r), here = sched_getcpu(), after = upcall_register_processor(r);

		if (before == here && here == after && here == cpu_wanted)
			right_looks++;
		upcall_sleep(MS / 10);		/* the vproc looks where it is when it begins to work */
	}
	return arg;
}

static void await_processor(int cpu)
{
	enum { LOOKS = 100 };

	cpu_wanted = cpu;
	right_looks = 0;
	for (uint64_t start = upcall_now(); right_looks < LOOKS; upcall_sleep(MS))
		CHECK(upcall_now() - start < 20000 * MS);
}

static void await_given(unsigned n)
{
	for (uint64_t start = upcall_now(); r->vprocs_given != n; upcall_sleep(MS))
		CHECK(upcall_now() - start < 20000 * MS);
}

/* All kernel threads are put on one of two CPUs, then on the other, then on both. */
static void test_affinity(const cpu_set_t *both, const int cpus[2])
{
	unsigned given = r->vprocs_given;
	upcall_t t;

	is_over = false;
	t = spawn(look_at_processor, NULL);
	for (int i = 0; i < 2; i++) {
		cpu_set_t one = only(cpus[i]);

		let_all_run_on(&one);
		await_processor(cpus[i]);
		await_given(1);
	}
	let_all_run_on(both);
	await_given(given);
	is_over = true;
	join(t);
}

static void test(void)
{
	int cpus[2];
	cpu_set_t both = keep_two_cpus(cpus);

	r = upcall_registers();
	CHECK_IS(r->version, UPCALL_REGISTERS_VERSION);
	CHECK(r->bytes >= sizeof(*r));
	test_threads(&both);
	if (CPU_COUNT(&both) == 2)		/* where there is never but one, the kernel chooses */
		test_affinity(&both, cpus);
}
