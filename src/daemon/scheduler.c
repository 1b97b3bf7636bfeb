// SPDX-License-Identifier: BSD-2-Clause
/*
 * The scheduler (bpf/scx.bpf.c), beside the programs that kernel.c has loaded: it uses their maps.  It
 * is loaded if asked for and if the kernel can; what the programs tell of does not depend on it.
 *
 * It is attached through a link that ends with this process, as all else does.  libbpf before 1.2
 * knows only schedulers that outlive their loader, so with it the link is made here.
 */
#include "daemon.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "scx.skel.h"

enum { VPS = 1024, FLAG_LINK = 1 << 13, ATTACH_STRUCT_OPS = 44 };

/* As the programs have it. */
struct range {
	uint32_t base, count;
};

static struct scx_bpf *programs;
static int link_fd = -1;
static unsigned vprocs_each;

/*
 * Ranges of vprocs: a process has one of vprocs_each.  Kept until its page is gone from the kernel's map, by which
 * threads that still name it find their vproc.
 */
static struct owner {
	bool has;
	uid_t uid;
} owners[VPS];				/* by range */
static unsigned range_of[ABI_PROCESSES];	/* by page, + 1 */

static bool kernel_can(void)
{
	return access("/sys/kernel/sched_ext", F_OK) == 0;
}

/* What libbpf 1.1 attaches to a map made for links is ready, but not yet in use. */
static int make_link(void)
{
	struct {
		uint32_t map_fd, target_fd, attach_type, flags;
		char room[112];
	} attr = { (uint32_t)bpf_map__fd(programs->maps.upcall_ops), 0, ATTACH_STRUCT_OPS, 0, { 0 } };
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	if (fd < 0)
		return -errno;
	link_fd = (int)fd;
	return 0;
}

static int load(int pages, int places)
{
	programs = scx_bpf__open();
	if (!programs)
		return -errno;
	bpf_map__set_map_flags(programs->maps.upcall_ops, FLAG_LINK);
	int err = bpf_map__reuse_fd(programs->maps.pages, pages);

	if (!err)
		err = bpf_program__set_flags(programs->progs.upcall_init, BPF_F_SLEEPABLE);
	if (!err)
		err = bpf_map__reuse_fd(programs->maps.places, places);
	if (!err)
		err = scx_bpf__load(programs);
	if (err)
		return err;
	struct bpf_link *link = bpf_map__attach_struct_ops(programs->maps.upcall_ops);

	if (!link)
		return -errno;
	return libbpf_major_version() == 1 && libbpf_minor_version() < 2 ? make_link() : 0;
}

int scheduler_load(int pages, int places)
{
	long ncpus = sysconf(_SC_NPROCESSORS_CONF);

	if (!kernel_can())
		return -EOPNOTSUPP;
	int err = load(pages, places);

	if (err) {
		scx_bpf__destroy(programs);
		programs = NULL;
		return err;
	}
	vprocs_each = ncpus < 1 ? 1 : ncpus > ABI_VPROCS ? ABI_VPROCS : (unsigned)ncpus;
	return 0;
}

/* Until the kernel has thrown it out, which leaves the processes with what the programs tell. */
bool scheduler_is_on(void)
{
	static bool has_said;

	if (!programs || !programs->bss->exit_kind)
		return programs;
	if (!has_said)
		say("the kernel has ended the scheduler: %s: %s", programs->bss->exit_reason,
		    programs->bss->exit_message);
	has_said = true;
	return false;
}

static int new_control(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "upcall_control", sizeof(uint32_t), sizeof(struct abi_control),
				 1, &opts);

	return map < 0 ? -errno : map;
}

int scheduler_make_controls(const unsigned *index, unsigned n, int *ret_fds)
{
	return programs ? kernel_make_maps(bpf_map__fd(programs->maps.controls), new_control, index, n, ret_fds) :
			  -EOPNOTSUPP;
}

static int put_range(unsigned index, struct range range)
{
	return bpf_map_update_elem(bpf_map__fd(programs->maps.ranges), &index, &range, BPF_ANY) ? -errno : 0;
}

/* One user other than root has half of them at most: -EDQUOT. */
static int find_range(uid_t uid)
{
	unsigned n = VPS / vprocs_each, of_user = 0;
	int found = -ENOSPC;

	for (unsigned i = 0; i < n; i++) {
		of_user += owners[i].has && owners[i].uid == uid;
		if (!owners[i].has)
			found = (int)i;
	}
	return uid && of_user >= n / 2 ? -EDQUOT : found;
}

int scheduler_admit(unsigned index, uid_t uid)
{
	int i = programs ? find_range(uid) : -ENOSPC;

	if (i < 0)
		return i;
	int err = put_range(index, (struct range){ (unsigned)i * vprocs_each, vprocs_each });

	if (err)
		return err;
	owners[i] = (struct owner){ true, uid };
	range_of[index] = (unsigned)i + 1;
	return 0;
}

/* Without a range its control page means nothing; the next one takes that page's place. */
void scheduler_expel(unsigned index)
{
	if (programs)
		put_range(index, (struct range){ 0, 0 });
}

bool scheduler_has_range(unsigned index)
{
	return range_of[index] != 0;
}

void scheduler_free_range(unsigned index)
{
	if (range_of[index])
		owners[range_of[index] - 1].has = false;
	range_of[index] = 0;
}
