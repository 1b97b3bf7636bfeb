// SPDX-License-Identifier: BSD-2-Clause
/* Names of addresses, each looked up once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

struct known {
	uint64_t address;
	char *text;
};

static struct {
	struct target *of;
	struct known *slots;
	size_t size, used;	/* size: a power of two */
} memo;

static char *find_symbol(struct target *t, uint64_t address)
{
	Dwfl_Module *mod = dwfl_addrmodule(t->dwfl, address);
	GElf_Off offset = 0;
	GElf_Sym sym;
	char *text = NULL;

	if (!mod)
		return strdup("");
	const char *name = dwfl_module_addrinfo(mod, address, &offset, &sym, NULL, NULL, NULL);

	/* libdwfl gives the nearest symbol below; only one that covers the address means anything. */
	if (!name || (offset && offset >= sym.st_size))
		return strdup("");
	if (offset ? asprintf(&text, "%s+0x%lx", name, (unsigned long)offset) : asprintf(&text, "%s", name))
		return text;
	return strdup("");
}

static struct known *slot_of(uint64_t address)
{
	size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (memo.size - 1);

	while (memo.slots[at].text && memo.slots[at].address != address)
		at = (at + 1) & (memo.size - 1);
	return &memo.slots[at];
}

static bool grow(void)
{
	struct known *old = memo.slots;
	size_t n = memo.size;

	memo.size = n ? 2 * n : 1024;
	memo.slots = calloc(memo.size, sizeof(*memo.slots));
	if (!memo.slots)
		return false;
	for (size_t i = 0; i < n; i++)
		if (old[i].text)
			*slot_of(old[i].address) = old[i];
	free(old);
	return true;
}

void target_forget_symbols(void)
{
	for (size_t i = 0; i < memo.size; i++)
		free(memo.slots[i].text);
	free(memo.slots);
	memset(&memo, 0, sizeof(memo));
}

const char *target_symbol(struct target *t, uint64_t address)
{
	if (!address)
		return "";
	if (memo.of != t)
		target_forget_symbols();
	memo.of = t;
	if (2 * memo.used >= memo.size && !grow())
		return "";
	struct known *k = slot_of(address);

	if (!k->text) {
		k->address = address;
		k->text = find_symbol(t, address);
		memo.used++;
	}
	return k->text ? k->text : "";
}
