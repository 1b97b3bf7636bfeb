// SPDX-License-Identifier: BSD-2-Clause
// A thread that is cancelled while it waits for a page (userfaultfd): asynchronously at once, though the page never comes;
// deferred at its next cancellation point, when the page has come.
#include "../cancel-holding.h"

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

enum { PAGE = 4096, TURNS = 4 };

static int faults;
static char *memory;

static void touch_asynchronously(void *arg)
{
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	(*(volatile char *)arg)++;
}

static void touch(void *arg)
{
	(*(volatile char *)arg)++;
}

static void open_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range.len = PAGE, .mode = UFFDIO_REGISTER_MODE_MISSING };

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0)
		skip("userfaultfd is refused");
	CHECK_OK(ioctl(faults, UFFDIO_API, &api));
	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
	range.range.start = (__u64)(uintptr_t)memory;
	CHECK_OK(ioctl(faults, UFFDIO_REGISTER, &range));
}

static void wait_for_fault(void)
{
	struct uffd_msg message;

	CHECK_EQ(read(faults, &message, sizeof(message)), sizeof(message));
	CHECK_EQ(message.event, UFFD_EVENT_PAGEFAULT);
}

static void bring(void)
{
	struct uffdio_zeropage zero = { .range = { (__u64)(uintptr_t)memory, PAGE } };

	CHECK_OK(ioctl(faults, UFFDIO_ZEROPAGE, &zero));
}

int main(void)
{
	struct holder h;

	open_faults();
	for (int i = 0; i < share_of(TURNS); i++) {
		holder_begin(&h, touch_asynchronously, memory);
		wait_for_fault();
		CHECK_OK(pthread_cancel(h.thread));
		holder_end(&h);
		CHECK(!h.returned);

		holder_begin(&h, touch, memory);
		wait_for_fault();
		CHECK_OK(pthread_cancel(h.thread));
		settle();
		CHECK(!h.returned && !h.cleaned);
		bring();
		holder_end(&h);
		CHECK(h.returned);
		CHECK_EQ(memory[0], 1);
		CHECK_OK(madvise(memory, PAGE, MADV_DONTNEED));
	}
}
