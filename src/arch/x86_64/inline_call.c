// SPDX-License-Identifier: BSD-2-Clause
/*
 * The places of libgomp's text that call the kernel, for a futex, are these (gcc 10 to 14):
 *
 *	0f 05		syscall
 *	48 83 f8 da	cmp $-ENOSYS, %rax
 *	...		jne, or je:
 *	81 25 x x x x 7f ff ff ff	and $~FUTEX_PRIVATE_FLAG: an old kernel
 *	0f 05		syscall
 *
 * The first six bytes, which nobody jumps into, become a jump to a stub of the place's own.  The second call is
 * never reached.  As many of the first kind as of the second, and one is sure to have them all: some alone
 * would be worse than none, since who waits in one place is woken in another.
 */
#include <string.h>
#include <sys/mman.h>

#include "../../sys/sys.h"
#include "../arch.h"

enum { PAGE = 4096, PLACE = 6, STUB = 32, BACK_AT = 24, NEAR = 40, REACH = 1 << 30, FIXED_NOREPLACE = 0x100000 };

void arch_inline_call(void) __attribute__((visibility("hidden")));

static const unsigned char place_code[PLACE] = { 0x0f, 0x05, 0x48, 0x83, 0xf8, 0xda };
static const unsigned char old_kernel[4] = { 0x7f, 0xff, 0xff, 0xff };

static bool is_place(const unsigned char *at)
{
	return !memcmp(at, place_code, PLACE);
}

/* The next `syscall` in what is left, or NULL. */
static unsigned char *next_call(unsigned char *at, const unsigned char *end)
{
	for (; at + PLACE <= end; at++)
		if (at[0] == place_code[0] && at[1] == place_code[1])
			return at;
	return NULL;
}

/* 0 unless they are understood. */
static int count_places(unsigned char *low, unsigned char *end)
{
	int places = 0, second = 0;

	for (unsigned char *at = low + NEAR; (at = next_call(at, end)); at += 2) {
		if (is_place(at))
			places++;
		else if (memmem(at - NEAR, NEAR, old_kernel, sizeof(old_kernel)))
			second++;
	}
	return places == second && places <= PAGE / STUB - 1 ? places : 0;
}

/* A page that jumps from low to end reach. */
static unsigned char *map_near(const unsigned char *low, const unsigned char *end)
{
	uintptr_t below = (uintptr_t)low & ~(uintptr_t)(PAGE - 1);
	uintptr_t above = ((uintptr_t)end + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

	for (uintptr_t away = 16 * PAGE; away < REACH; away *= 2) {
		for (int i = 0; i < 2; i++) {
			long map = arch_syscall6(SYS_mmap, (long)(i ? above + away : below - away), PAGE,
						 PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS | FIXED_NOREPLACE, -1, 0);

			if (map > 0)
				return (unsigned char *)map;
		}
	}
	return NULL;
}

static unsigned char *put_offset(unsigned char *at, const unsigned char *to)
{
	int32_t offset = (int32_t)(to - (at + 4));

	memcpy(at, &offset, 4);
	return at + 4;
}

static void put_stub(unsigned char *stub, const unsigned char *common, unsigned char *place)
{
	static const unsigned char over_red_zone[] = { 0x48, 0x8d, 0x64, 0x24, 0x80 }, push[] = { 0xff, 0x35 },
				   jump[] = { 0xff, 0x25 };
	unsigned char *back = place + PLACE, *at = stub;

	memcpy(stub + BACK_AT, &back, sizeof(back));
	at = (unsigned char *)memcpy(at, over_red_zone, sizeof(over_red_zone)) + sizeof(over_red_zone);
	at = put_offset((unsigned char *)memcpy(at, push, sizeof(push)) + sizeof(push), stub + BACK_AT);
	put_offset((unsigned char *)memcpy(at, jump, sizeof(jump)) + sizeof(jump), common);
}

static long protect(unsigned char *low, const unsigned char *end, int protection)
{
	uintptr_t first = (uintptr_t)low & ~(uintptr_t)(PAGE - 1);

	return arch_syscall3(SYS_mprotect, (long)first, (long)((uintptr_t)end - first), protection);
}

int arch_catch_inline_calls(void *text, size_t bytes)
{
	unsigned char *low = text, *end = low + bytes;
	int places = count_places(low, end);
	unsigned char *page = places ? map_near(low, end) : NULL, *stub = page;
	void *common = (void *)(uintptr_t)arch_inline_call;

	if (!page)
		return 0;
	/* Executable all the time: others may run in the same pages. */
	if (protect(low, end, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		sys_unmap(page, PAGE);
		return 0;
	}
	memcpy(page, &common, sizeof(common));
	for (unsigned char *at = low + NEAR; (at = next_call(at, end)); at += 2) {
		if (!is_place(at))
			continue;
		stub += STUB;
		put_stub(stub, page, at);
		at[0] = 0xe9;
		put_offset(at + 1, stub);
		at[5] = 0x90;
	}
	protect(low, end, PROT_READ | PROT_EXEC);
	protect(page, page + PAGE, PROT_READ | PROT_EXEC);
	return places;
}
