// SPDX-License-Identifier: BSD-2-Clause
/*
 * Divide and conquer: a thread for each half, down to single numbers.  Threads without a TLS block run
 * at once when they are made, so only as many are alive as the tree is deep.
 */
#include <stdio.h>
#include <upcall/upcall.h>

enum { NUMBERS = 1 << 17 };

struct range { long first, count; };

static void *sum(void *arg)
{
	struct range *r = arg, low = { r->first, r->count / 2 };
	struct range high = { r->first + low.count, r->count - low.count };
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t thread;
	void *half;

	if (r->count == 1)
		return (void *)r->first;
	attr.flags = UPCALL_NO_TLS;
	if (upcall_create(&thread, &attr, sum, &low))
		return (char *)sum(&low) + (long)sum(&high);
	long rest = (long)sum(&high);

	upcall_join(thread, &half);
	return (char *)half + rest;
}

int main(void)
{
	struct range all = { 0, NUMBERS };
	long total = (long)sum(&all);

	printf("%d threads add up to %ld\n", NUMBERS - 1, total);
	return total != (long)NUMBERS * (NUMBERS - 1) / 2;
}
