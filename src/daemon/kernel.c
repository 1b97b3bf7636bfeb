// SPDX-License-Identifier: BSD-2-Clause
#include "daemon.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "upcall.skel.h"

static struct upcall_bpf *programs;
static bool is_talkative;

/* As the program has it. */
struct admission {
	uint32_t process;
	uint32_t tgid;
};

static int talk(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return is_talkative && level <= LIBBPF_INFO ? vfprintf(stderr, fmt, ap) : 0;
}

/* One of two programs can hear of registrations; older kernels lack the first one's place. */
static int load_with(bool has_tracepoint)
{
	programs = upcall_bpf__open();
	if (!programs)
		return -errno;
	bpf_program__set_autoload(programs->progs.on_prctl, has_tracepoint);
	bpf_program__set_autoload(programs->progs.on_prctl_hook, !has_tracepoint);
	int err = upcall_bpf__load(programs);

	if (!err)
		err = upcall_bpf__attach(programs);
	if (err) {
		upcall_bpf__destroy(programs);
		programs = NULL;
	}
	return err;
}

int kernel_load(bool is_verbose)
{
	is_talkative = is_verbose;
	libbpf_set_print(talk);
	int err = load_with(true);

	return err && err != -EPERM ? load_with(false) : err;
}

int kernel_load_scheduler(void)
{
	return scheduler_load(bpf_map__fd(programs->maps.pages), bpf_map__fd(programs->maps.places));
}

unsigned kernel_sources(void)
{
	return ABI_BPF | (scheduler_is_on() ? ABI_SCX : 0);
}

/* Frozen: no process can write it any more, through whatever descriptor; the programs can. */
static int put_page(unsigned index, int *ret_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "upcall_page", sizeof(__u32), sizeof(struct abi_slot),
				 ABI_SLOTS, &opts);

	if (map < 0)
		return -errno;
	if (bpf_map_freeze(map) || bpf_map_update_elem(bpf_map__fd(programs->maps.pages), &index, &map, BPF_ANY)) {
		int err = -errno;

		close(map);
		return err;
	}
	*ret_fd = map;
	return 0;
}

int kernel_admit(unsigned index, uint64_t token, int *ret_fd)
{
	struct admission admission = { index, 0 };
	int err = put_page(index, ret_fd);

	if (!err && bpf_map_update_elem(bpf_map__fd(programs->maps.admitted), &token, &admission, BPF_NOEXIST)) {
		err = -errno;
		close(*ret_fd);
		*ret_fd = -1;
	}
	return err;
}

void kernel_expel(unsigned index, uint64_t token)
{
	kernel_forget(token);
	scheduler_expel(index);
	bpf_map_delete_elem(bpf_map__fd(programs->maps.pages), &index);
}

void kernel_forget(uint64_t token)
{
	bpf_map_delete_elem(bpf_map__fd(programs->maps.admitted), &token);
}
