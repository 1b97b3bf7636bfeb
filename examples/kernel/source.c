// SPDX-License-Identifier: BSD-2-Clause
/* What the kernel says of activations: from upcalld's programs, or from perf events without it. */
#include "small.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { PAGE = 4096, RECORD = sizeof(struct perf_event_header), CLASS_EXT = 7 };

static volatile struct upcall_kernel_page *page;
static volatile struct upcall_kernel_control *control;
static uint64_t token;
static const void *rings[UPCALL_KERNEL_SLOTS];

static void *map(int fd, size_t bytes, int protection)
{
	void *at = mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);

	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

static bool ask(int sock, uint32_t sources)
{
	struct upcall_kernel_hello hello = { UPCALL_KERNEL_MAGIC, UPCALL_KERNEL_VERSION, sources, 0 };
	struct upcall_kernel_welcome welcome = { 0 };
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(2 * sizeof(int))];
	struct iovec part = { &welcome, sizeof(welcome) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = room,
				  .msg_controllen = sizeof(room) };
	int fds[2] = { -1, -1 };

	if (send(sock, &hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello) ||
	    recvmsg(sock, &message, MSG_CMSG_CLOEXEC) != sizeof(welcome) || welcome.error)
		return false;
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	if (!head)
		return false;
	memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	token = welcome.token;
	page = map(fds[0], sizeof(*page), PROT_READ);
	if (welcome.sources & UPCALL_KERNEL_SCHED_EXT)
		control = map(fds[1], sizeof(*control), PROT_READ | PROT_WRITE);
	return page;
}

static bool open_daemon(uint32_t sources)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strncpy(at.sun_path, getenv("UPCALL_SOCKET") ?: UPCALL_KERNEL_SOCKET, sizeof(at.sun_path) - 1);
	bool is_open = connect(sock, (struct sockaddr *)&at, sizeof(at)) == 0 && ask(sock, sources);

	close(sock);
	return is_open;
}

static bool open_ring(unsigned number)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.context_switch = 1, .exclude_kernel = 1, .watermark = 1, .wakeup_watermark = UINT32_MAX,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	rings[number] = fd < 0 ? NULL : map(fd, 2 * PAGE, PROT_READ);
	return rings[number];
}

const char *source_open(const char *wanted)
{
	bool any = strcmp(wanted, "auto") == 0;

	if ((any || strcmp(wanted, "sched_ext") == 0) &&
	    open_daemon(UPCALL_KERNEL_BPF | UPCALL_KERNEL_SCHED_EXT) && control)
		return "sched_ext";
	if ((any && page) || (strcmp(wanted, "bpf") == 0 && open_daemon(UPCALL_KERNEL_BPF)))
		return "bpf";
	page = NULL;
	return (any || strcmp(wanted, "perf") == 0) && open_ring(0) ? "perf" : NULL;
}

bool source_attach(unsigned number)
{
	struct sched_param none = { 0 };

	if (!page)
		return open_ring(number);
	uint32_t life = page->slot[number].life;

	/* The kernel may be short of memory for it, just now. */
	for (int i = 0; i < 10 && page->slot[number].life == life; i++)
		if (prctl(UPCALL_KERNEL_PRCTL, number, token, 0, 0) && page->slot[number].life == life)
			usleep(1000);
	if (page->slot[number].life == life)
		return false;
	return !control || syscall(SYS_sched_setscheduler, 0, CLASS_EXT | SCHED_RESET_ON_FORK, &none) == 0;
}

bool source_is_blocked(unsigned number)
{
	if (page)
		return page->slot[number].state == UPCALL_KERNEL_BLOCKED;
	/* The last record of the ring: switched out, and not because another was to run. */
	const struct perf_event_mmap_page *meta = rings[number];
	uint64_t head = meta ? __atomic_load_n(&meta->data_head, __ATOMIC_ACQUIRE) : 0;

	if (head < RECORD)
		return false;
	const struct perf_event_header *last =
		(const void *)((const char *)meta + PAGE + ((head - RECORD) & (PAGE - 1)));

	return last->type == PERF_RECORD_SWITCH &&
	       (last->misc & (PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)) ==
		       PERF_RECORD_MISC_SWITCH_OUT;
}

void source_owner(unsigned vproc, unsigned owner, unsigned spare)
{
	if (!control)
		return;
	control->vproc_of[owner] = control->vproc_of[spare] = (uint8_t)vproc;
	control->vproc[vproc].owner = owner + 1;
	control->vproc[vproc].successor = spare + 1;
}

bool source_has_visitors(unsigned vproc)
{
	return control && page->vproc[vproc].visitors;
}

unsigned source_overlaps(void)
{
	unsigned n = 0;

	for (unsigned i = 0; page && i < SMALL_VPROCS; i++)
		n += page->vproc[i].noverlaps;
	return n;
}
