// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names of addresses, each looked up once.  libdwfl walks through all symbols of a module for each
 * address; where more than a few are asked for, they are put in order first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

struct known {
	uint64_t address;
	char *text;
};

enum { FEW = 8, BACK_MAX = 64 };

struct sorted {
	uint64_t address, size;
	const char *name;
	unsigned char rank;		/* of those at one address: global, weak, local */
};

struct module {
	Dwfl_Module *mod;
	unsigned asked;
	struct sorted *all;
	size_t n;
};

struct symbols {
	struct known *slots;
	size_t size, used;	/* size: a power of two */
	struct module *modules;
	size_t nmodules;
};

static struct module *module_of(struct symbols *y, Dwfl_Module *mod)
{
	for (size_t i = 0; i < y->nmodules; i++)
		if (y->modules[i].mod == mod)
			return &y->modules[i];
	struct module *more = realloc(y->modules, (y->nmodules + 1) * sizeof(*more));

	if (!more)
		return NULL;
	y->modules = more;
	more[y->nmodules] = (struct module){ .mod = mod };
	return &more[y->nmodules++];
}

static int by_address(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank - y->rank;
	size_t m = strlen(x->name), n = strlen(y->name);

	return m > n ? -1 : m < n;	/* read, rather than __read */
}

static void sort_symbols(struct module *m)
{
	int n = dwfl_module_getsymtab(m->mod);

	m->all = n > 0 ? malloc((size_t)n * sizeof(*m->all)) : NULL;
	for (int i = 0; m->all && i < n; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(m->mod, i, &sym, &address, &section, NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info), bind = GELF_ST_BIND(sym.st_info);

		if (!name || !*name || section == SHN_UNDEF || type == STT_SECTION || type == STT_FILE || type == STT_TLS)
			continue;
		m->all[m->n++] = (struct sorted){ address, sym.st_size, name,
						  bind == STB_LOCAL ? 0 : bind == STB_WEAK ? 1 : 2 };
	}
	if (m->n)
		qsort(m->all, m->n, sizeof(*m->all), by_address);
}

/* The nearest one that covers the address; of several at one place the last, which ranks highest. */
static const struct sorted *search(const struct module *m, uint64_t address)
{
	size_t low = 0, high = m->n;

	while (low < high) {		/* the first one above it */
		size_t mid = (low + high) / 2;

		if (m->all[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low; i > 0 && low - i < BACK_MAX; i--) {
		const struct sorted *s = &m->all[i - 1];

		if (s->address == address || address - s->address < s->size)
			return s;
	}
	return NULL;
}

/* As libdwfl has it: the nearest symbol below; only one that covers the address means anything. */
static const char *ask(Dwfl_Module *mod, uint64_t address, GElf_Off *offset)
{
	GElf_Sym sym;
	const char *name = dwfl_module_addrinfo(mod, address, offset, &sym, NULL, NULL, NULL);

	return name && *offset && *offset >= sym.st_size ? NULL : name;
}

static char *find_symbol(struct target *t, uint64_t address)
{
	Dwfl_Module *mod = dwfl_addrmodule(t->dwfl, address);
	struct module *m = mod ? module_of(t->symbols, mod) : NULL;
	const char *name = NULL;
	GElf_Off offset = 0;
	char *text = NULL;

	if (m && m->asked++ == FEW)
		sort_symbols(m);
	if (m && m->n) {
		const struct sorted *s = search(m, address);

		name = s ? s->name : NULL;
		offset = s ? address - s->address : 0;
	} else if (m) {
		name = ask(mod, address, &offset);
	}
	if (!name)
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
	struct symbols more = *y;

	more.size = y->size ? 2 * y->size : 1024;
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
	for (size_t i = 0; y && i < y->nmodules; i++)
		free(y->modules[i].all);
	if (y) {
		free(y->modules);
		free(y->slots);
	}
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
