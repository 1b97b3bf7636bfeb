// SPDX-License-Identifier: BSD-2-Clause
/* A library that says it is upcall's, with a page of lies: CASE says which. */
#include <stdint.h>
#include <string.h>
#include <upcall/page.h>

static struct upcall_entry entries[64];
static uint64_t one_node[64], other_node[64], head[2], nodes[1 << 16][8], many = UINT64_MAX >> 1, vprocs = 4, base;

__attribute__((visibility("default"))) struct upcall_page upcall_page = {
	.magic = UPCALL_PAGE_MAGIC, .version = UPCALL_PAGE_VERSION, .page_bytes = sizeof(struct upcall_page),
	.entry_bytes = sizeof(struct upcall_entry), .entries = (uintptr_t)entries,
};

static void add(const char *name, uint64_t value, int kind, int bytes)
{
	struct upcall_entry *e = &entries[upcall_page.nentries++];

	strcpy(e->name, name);
	e->value = value;
	e->kind = (uint16_t)kind;
	e->bytes = (uint16_t)bytes;
}

static void add_sound(void)
{
	one_node[1] = 5;
	one_node[0] = (uintptr_t)head;
	head[0] = (uintptr_t)one_node;
	base = (uintptr_t)nodes;
	add("threads", (uintptr_t)&many, UPCALL_COUNTER, 8);
	add("thread", 64, UPCALL_SIZE, 0);
	add("thread.all_link", 0, UPCALL_FIELD, 8);
	add("thread.id", 8, UPCALL_FIELD, 4);
	add("thread.state", 16, UPCALL_FIELD, 4);
	add("thread.tid", 24, UPCALL_FIELD, 4);
	add("threads.all", (uintptr_t)head, UPCALL_GLOBAL, 16);
	add("sched.nvprocs", (uintptr_t)&vprocs, UPCALL_GLOBAL, 8);
	add("sched.vprocs", (uintptr_t)&base, UPCALL_GLOBAL, 8);
}

__attribute__((constructor)) static void init(void)
{
	add_sound();
	switch (CASE) {
	case 1:		/* offset and size together are more than 32 bits */
		add("thread.sp", 0xfffffff8u, UPCALL_FIELD, 8);
		break;
	case 2:		/* a link outside of its structure */
		add("activation", 16, UPCALL_SIZE, 0);
		add("sched.activations", (uintptr_t)head, UPCALL_GLOBAL, 16);
		add("activation.all_link", 0x70000000, UPCALL_FIELD, 8);
		break;
	case 3:		/* a circle without end */
		one_node[0] = (uintptr_t)other_node;
		other_node[0] = (uintptr_t)one_node;
		break;
	case 4:		/* the size of an array overflows */
		add("vproc", (UINT64_C(1) << 62) | 64, UPCALL_SIZE, 0);
		add("vproc.owner", 0, UPCALL_FIELD, 8);
		break;
	case 5:		/* the size that counts is not the first of its name */
		add("vproc", 8, UPCALL_VALUE, 0);
		add("vproc", 4096, UPCALL_SIZE, 0);
		add("vproc.owner", 4000, UPCALL_FIELD, 8);
		break;
	case 6:		/* a counter of a vproc that is outside of it */
		add("vproc", 64, UPCALL_SIZE, 0);
		add("parks", 1 << 20, UPCALL_VPROC_COUNTER, 8);
		break;
	case 7:		/* a counter of another kind than is looked for */
		add("vproc", 64, UPCALL_SIZE, 0);
		add("switches", (uintptr_t)&many, UPCALL_COUNTER, 8);
		break;
	case 8:		/* more vprocs than there can be */
		add("vproc", 64, UPCALL_SIZE, 0);
		vprocs = UINT64_MAX;
		break;
	case 9:		/* a circle of activations */
		head[1] = (uintptr_t)other_node;
		other_node[0] = (uintptr_t)nodes[0];
		nodes[0][0] = (uintptr_t)other_node;
		add("activation", 16, UPCALL_SIZE, 0);
		add("sched.activations", (uintptr_t)&head[1], UPCALL_GLOBAL, 16);
		add("activation.all_link", 0, UPCALL_FIELD, 8);
		add("activation.alive", 8, UPCALL_FIELD, 8);
		break;
	case 10:	/* many threads of one number */
		for (int i = 0; i < 1 << 16; i++) {
			nodes[i][0] = i + 1 < 1 << 16 ? (uintptr_t)nodes[i + 1] : (uintptr_t)head;
			nodes[i][1] = (uint64_t)i + 1;
		}
		head[0] = (uintptr_t)nodes;
		break;
	case 11:	/* a name that is a line of its own */
		add("forged 1\n\"x", (uintptr_t)&many, UPCALL_COUNTER, 8);
		break;
	case 12:	/* a link of four bytes at the end of what is read */
		entries[2].value = 60;
		entries[2].bytes = 4;
		break;
	case 13:	/* a table that is not there */
		upcall_page.entries = 8;
		break;
	}
}
