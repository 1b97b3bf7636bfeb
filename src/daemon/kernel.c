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
	return !programs ? 0 : ABI_BPF | (scheduler_is_on() ? ABI_SCX : 0);
}

/* Frozen: no process can write it any more, through whatever descriptor; the programs can. */
static int new_page(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "upcall_page", sizeof(__u32), sizeof(struct abi_slot),
				 ABI_SLOTS, &opts);

	if (map >= 0 && !bpf_map_freeze(map))
		return map;
	int err = -errno;

	if (map >= 0)
		close(map);
	return err;
}

/* All at once, where the kernel can.  0 or -errno. */
static int put_maps(int outer, const unsigned *index, const int *fds, unsigned n)
{
	__u32 count = n;

	if (bpf_map_update_batch(outer, index, fds, &count, NULL) == 0)
		return 0;
	for (unsigned i = 0; i < n; i++)
		if (bpf_map_update_elem(outer, &index[i], &fds[i], BPF_ANY))
			return -errno;
	return 0;
}

int kernel_make_maps(int outer, int (*new_map)(void), const unsigned *index, unsigned n, int *ret_fds)
{
	unsigned made = 0;

	while (made < n && (ret_fds[made] = new_map()) >= 0)
		made++;
	int err = made < n ? ret_fds[made] : put_maps(outer, index, ret_fds, n);
	while (err && made > 0)
		close(ret_fds[--made]);
	return err;
}

int kernel_make_pages(const unsigned *index, unsigned n, int *ret_fds)
{
	return kernel_make_maps(bpf_map__fd(programs->maps.pages), new_page, index, n, ret_fds);
}

int kernel_drop_page(unsigned index)
{
	return bpf_map_delete_elem(bpf_map__fd(programs->maps.pages), &index) ? -errno : 0;
}

int kernel_admit(unsigned index, uint64_t token)
{
	struct admission admission = { index, 0 };

	return bpf_map_update_elem(bpf_map__fd(programs->maps.admitted), &token, &admission, BPF_NOEXIST) ? -errno : 0;
}

void kernel_expel(unsigned index, uint64_t token)
{
	kernel_forget(token);
	scheduler_expel(index);
}

void kernel_forget(uint64_t token)
{
	bpf_map_delete_elem(bpf_map__fd(programs->maps.admitted), &token);
}

uint32_t kernel_map_id(int map)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(map, &info, &len) ? 0 : info.id;
}

int kernel_each_map(void (*fn)(uint32_t id))
{
	int fd = bpf_iter_create(bpf_link__fd(programs->links.list_maps));
	uint32_t ids[1024];
	ssize_t n;

	if (fd < 0)
		return fd;
	while ((n = read(fd, ids, sizeof(ids))) > 0)
		for (size_t i = 0; i < (size_t)n / sizeof(ids[0]); i++)
			fn(ids[i]);
	int err = n < 0 ? -errno : 0;

	close(fd);
	return err;
}
