// SPDX-License-Identifier: BSD-2-Clause
// Pseudo-registers say, without a call, which thread this is, on which vproc and processor, and how many.
#include "check.h"

#include <sched.h>
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

static void test(void)
{
	upcall_t t[4];
	cpu_set_t mask;
	uint64_t start;

	r = upcall_registers();
	CHECK_IS(r->version, UPCALL_REGISTERS_VERSION);
	CHECK(r->bytes >= sizeof(*r));
	CHECK(sched_getaffinity(0, sizeof(mask), &mask) == 0);
	for (uintptr_t i = 0; i < 4; i++)
		t[i] = spawn(look, (void *)i);
	CHECK_IS(upcall_register_thread(r), 1);
	CHECK(r->vprocs_given >= 1 && (int)r->vprocs_given <= CPU_COUNT(&mask));
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
