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

struct symbols {
	struct known *slots;
	size_t size, used;	/* size: a power of two */
};

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

static struct known *slot_of(const struct symbols *y, uint64_t address)
{
	size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (y->size - 1);

	while (y->slots[at].text && y->slots[at].address != address)
		at = (at + 1) & (y->size - 1);
	return &y->slots[at];
}

static bool grow(struct symbols *y)
{
	struct symbols more = { .size = y->size ? 2 * y->size : 1024, .used = y->used };

	more.slots = calloc(more.size, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (size_t i = 0; i < y->size; i++)
		if (y->slots[i].text)
			*slot_of(&more, y->slots[i].address) = y->slots[i];
	free(y->slots);
	*y = more;
	return true;
}

void target_forget_symbols(struct target *t)
{
	struct symbols *y = t->symbols;

	for (size_t i = 0; y && i < y->size; i++)
		free(y->slots[i].text);
	if (y)
		free(y->slots);
	free(y);
	t->symbols = NULL;
}

const char *target_symbol(struct target *t, uint64_t address)
{
	if (!t->symbols)
		t->symbols = calloc(1, sizeof(*t->symbols));
	struct symbols *y = t->symbols;

	if (!address || !y || (2 * y->used >= y->size && !grow(y)))
		return "";
	struct known *k = slot_of(y, address);

	if (!k->text) {
		k->address = address;
		k->text = find_symbol(t, address);
		y->used++;
	}
	return k->text ? k->text : "";
}
