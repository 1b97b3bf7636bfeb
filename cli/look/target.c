// SPDX-License-Identifier: BSD-2-Clause
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ENTRIES_MAX = 1024, BATCH = 512, LIBRARIES = 2 };

/* Where the first one is, which `upcall run` preloads, the one that programs are linked with sleeps. */
static const char *const libraries[LIBRARIES] = { "libupcall-pthread.so", "libupcall.so" };

static bool fail(struct target *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct target *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->problem, sizeof(t->problem), fmt, ap);
	va_end(ap);
	return false;
}

static const struct segment *segment_at(const struct target *t, uint64_t address)
{
	size_t low = 0, high = t->nsegments;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct segment *s = &t->segments[mid];

		if (address < s->address)
			high = mid;
		else if (address - s->address >= s->bytes)
			low = mid + 1;
		else
			return s;
	}
	return NULL;
}

static bool read_core(const struct target *t, uint64_t address, char *buf, size_t bytes)
{
	while (bytes) {
		const struct segment *s = segment_at(t, address);

		if (!s)
			return false;
		uint64_t at = address - s->address;
		size_t n = s->bytes - at < bytes ? (size_t)(s->bytes - at) : bytes;
		ssize_t got = pread(t->core_fd, buf, n, (off_t)(s->offset + at));

		if (got <= 0)
			return false;
		address += (uint64_t)got;
		buf += got;
		bytes -= (size_t)got;
	}
	return true;
}

bool target_read(const struct target *t, uint64_t address, void *buf, size_t bytes)
{
	if (!t->pid)
		return read_core(t, address, buf, bytes);
	struct iovec local = { buf, bytes }, remote = { (void *)(uintptr_t)address, bytes };

	return process_vm_readv(t->pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

size_t target_read_many(const struct target *t, const uint64_t *addresses, char *const *places, size_t n,
			size_t bytes)
{
	struct iovec remote[BATCH], local[BATCH];
	size_t done = 0;

	if (!t->pid) {
		while (done < n && read_core(t, addresses[done], places[done], bytes))
			done++;
		return done;
	}
	while (done < n) {
		size_t count = n - done < BATCH ? n - done : BATCH;

		for (size_t i = 0; i < count; i++) {
			remote[i] = (struct iovec){ (void *)(uintptr_t)addresses[done + i], bytes };
			local[i] = (struct iovec){ places[done + i], bytes };
		}
		ssize_t got = process_vm_readv(t->pid, local, count, remote, count, 0);

		if (got > 0)
			done += (size_t)got / bytes;
		if (got != (ssize_t)(count * bytes))
			break;
	}
	return done;
}

uint64_t target_read_word(const struct target *t, uint64_t address, unsigned bytes)
{
	uint64_t word = 0;

	return bytes <= 8 && target_read(t, address, &word, bytes) ? word : 0;
}

const struct upcall_entry *target_entry(const struct target *t, const char *name)
{
	for (uint32_t i = 0; i < t->page.nentries; i++)
		if (!strcmp(t->entries[i].name, name))
			return &t->entries[i];
	return NULL;
}

static struct field field_of_kind(const struct target *t, const char *name, enum upcall_entry_kind kind)
{
	const struct upcall_entry *e = target_entry(t, name);

	return e && e->kind == kind ? (struct field){ (uint32_t)e->value, e->bytes } : (struct field){ 0, 0 };
}

struct field target_field(const struct target *t, const char *name)
{
	return field_of_kind(t, name, UPCALL_FIELD);
}

struct field target_vproc_counter(const struct target *t, const char *name)
{
	return field_of_kind(t, name, UPCALL_VPROC_COUNTER);
}

static size_t size_of(const struct target *t, const char *name, size_t len)
{
	for (uint32_t i = 0; i < t->page.nentries; i++) {
		const struct upcall_entry *e = &t->entries[i];

		if (e->kind == UPCALL_SIZE && !strncmp(e->name, name, len) && !e->name[len])
			return (size_t)e->value;
	}
	return 0;
}

size_t target_size(const struct target *t, const char *structure)
{
	return size_of(t, structure, strlen(structure));
}

size_t target_vprocs(const struct target *t, uint64_t *ret_address, size_t *ret_bytes)
{
	uint64_t n = target_global(t, "sched.nvprocs");

	*ret_address = target_global(t, "sched.vprocs");
	*ret_bytes = target_size(t, "vproc");
	return *ret_address && *ret_bytes && n <= VPROCS_MAX ? (size_t)n : 0;
}

uint64_t target_value(const struct target *t, const char *name, uint64_t otherwise)
{
	const struct upcall_entry *e = target_entry(t, name);

	return e ? e->value : otherwise;
}

uint64_t target_global(const struct target *t, const char *name)
{
	const struct upcall_entry *e = target_entry(t, name);

	return e ? target_read_word(t, e->value, e->bytes) : 0;
}

const char *target_name_of(const struct target *t, const char *prefix, uint64_t value)
{
	size_t len = strlen(prefix);

	for (uint32_t i = 0; i < t->page.nentries; i++) {
		const struct upcall_entry *e = &t->entries[i];

		if (e->kind == UPCALL_VALUE && e->value == value && !strncmp(e->name, prefix, len))
			return e->name + len;
	}
	return NULL;
}

uint64_t field_get(struct field f, const void *copy)
{
	uint64_t word = 0;

	memcpy(&word, (const char *)copy + f.offset, f.bytes <= 8 ? f.bytes : 8);
	return word;
}

struct search {
	uint64_t page;
	int library;		/* the first that is there; LIBRARIES: none */
};

static int library_of(const char *base)
{
	int i = 0;

	while (i < LIBRARIES && strncmp(base, libraries[i], strlen(libraries[i])) != 0)
		i++;
	return i;
}

static int look_for_page(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr start, void *arg)
{
	struct search *s = arg;
	const char *base = strrchr(name, '/');

	(void)userdata, (void)start;
	int library = library_of(base ? base + 1 : name);

	if (library >= s->library)
		return DWARF_CB_OK;
	s->library = library;
	s->page = 0;
	int n = dwfl_module_getsymtab(mod);

	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		const char *symbol = dwfl_module_getsym_info(mod, i, &sym, &address, NULL, NULL, NULL);

		if (symbol && !strcmp(symbol, "upcall_page")) {
			s->page = address;
			break;
		}
	}
	return DWARF_CB_OK;
}

/* The structure that a field is in: what stands before the dot of its name. */
static size_t structure_of(const struct target *t, const struct upcall_entry *field)
{
	return field->kind == UPCALL_VPROC_COUNTER ? size_of(t, "vproc", strlen("vproc"))
						   : size_of(t, field->name, strcspn(field->name, "."));
}

/* Its name goes to JSON and to Prometheus as it is. */
static bool makes_sense(const struct target *t, const struct upcall_entry *e)
{
	for (const char *p = e->name; *p; p++)
		if (*p < ' ' || *p > '~' || *p == '"' || *p == '\\')
			return false;
	if (e->kind == UPCALL_SIZE)
		return e->value && e->value <= STRUCTURE_MAX;
	if (e->kind != UPCALL_FIELD && e->kind != UPCALL_VPROC_COUNTER)
		return true;
	size_t bytes = structure_of(t, e);

	return e->bytes && e->bytes <= bytes && e->value <= bytes - e->bytes;
}

static bool fail_without_library(struct target *t)
{
	return fail(t, "it is not run by upcall, nor linked with it (neither %s nor %s is in it)", libraries[0],
		    libraries[1]);
}

/* The library's page and its table, copied. */
static bool read_page(struct target *t)
{
	struct search s = { .library = LIBRARIES };

	dwfl_getmodules(t->dwfl, look_for_page, &s, 0);
	if (s.library == LIBRARIES)
		return fail_without_library(t);
	const char *library = libraries[s.library];

	if (!s.page || !target_read(t, s.page, &t->page, sizeof(t->page)))
		return fail(t, "its %s cannot be read, by name or as it is mapped (replaced since it started?%s)", library,
			    geteuid() ? "  Try as root" : "");
	if (t->page.magic != UPCALL_PAGE_MAGIC || t->page.version != UPCALL_PAGE_VERSION ||
	    t->page.entry_bytes != sizeof(struct upcall_entry) || t->page.nentries > ENTRIES_MAX)
		return fail(t, "its %s has a page of another version (%u)", library, t->page.version);
	t->entries = calloc(t->page.nentries + 1, sizeof(*t->entries));
	if (!t->entries || !target_read(t, t->page.entries, t->entries,
					t->page.nentries * sizeof(*t->entries)))
		return fail(t, "cannot read the table of its %s", library);
	for (uint32_t i = 0; i < t->page.nentries; i++)
		t->entries[i].name[sizeof(t->entries[i].name) - 1] = 0;
	t->page.source[sizeof(t->page.source) - 1] = 0;
	for (uint32_t i = 0; i < t->page.nentries; i++)
		if (!makes_sense(t, &t->entries[i]))
			return fail(t, "its page makes no sense (entry %u)", i);
	t->page_address = s.page;
	return true;
}

bool target_page_again(const struct target *t, struct upcall_page *ret_page)
{
	return target_read(t, t->page_address, ret_page, sizeof(*ret_page)) && ret_page->magic == UPCALL_PAGE_MAGIC;
}

static int find_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base, char **ret_file,
		    Elf **ret_elf)
{
	const struct target *t = *userdata;

	if (t && name[0] == '/') {
		int fd = maps_open(&t->maps, t->pid, base, name);

		*ret_file = fd >= 0 ? strdup(name) : NULL;
		return fd;
	}
	return dwfl_linux_proc_find_elf(mod, userdata, name, base, ret_file, ret_elf);
}

/* libdwfl's callbacks are told only of the module for whom they work. */
static int note_target(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr start, void *arg)
{
	struct target *t = arg;

	(void)mod, (void)name, (void)start;
	*userdata = t;
	t->has_files = true;
	return DWARF_CB_OK;
}

static const Dwfl_Callbacks live_callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

/* What lies beside another user's files may be a pipe, which would not let us go. */
static char *system_path = (char *)"/usr/lib/debug";
static const Dwfl_Callbacks foreign_callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.debuginfo_path = &system_path,
};

static const Dwfl_Callbacks core_callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

static bool begin(struct target *t, const Dwfl_Callbacks *callbacks)
{
	memset(t, 0, sizeof(*t));
	t->core_fd = -1;
	elf_version(EV_CURRENT);
	unsetenv("DEBUGINFOD_URLS");	/* a question to the network for each file would take minutes */
	t->dwfl = dwfl_begin(callbacks);
	return t->dwfl ? true : fail(t, "libdwfl: %s", dwfl_errmsg(-1));
}

static void read_command(struct target *t)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)t->pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(t->command, 1, sizeof(t->command) - 1, f) : 0;

	/* It ends with a newline; the name may have others. */
	t->command[n ? n - 1 : 0] = 0;
	if (f)
		fclose(f);
}

/* Many systems let only root, or a debugger that started it, look into a process of the same user. */
static bool yama_says_no(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int c = f ? getc(f) : '0';

	if (f)
		fclose(f);
	return c > '0';
}

static bool fail_without_memory(struct target *t)
{
	return fail(t, "it has no memory: it has ended, or is the kernel's own");
}

static bool is_anothers(pid_t pid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &st) || st.st_uid != geteuid();
}

static bool fail_to_read(struct target *t, int err)
{
	if ((err == EACCES || err == EPERM) && geteuid() && is_anothers(t->pid))
		return fail(t, "it may not be looked at: it is another user's; try as root");
	if (err == ESRCH)
		return fail_without_memory(t);
	return fail(t, "its memory map cannot be read: %s", strerror(err));
}

bool target_open_pid(struct target *t, pid_t pid)
{
	if (!begin(t, is_anothers(pid) ? &foreign_callbacks : &live_callbacks))
		return false;
	t->pid = pid;
	read_command(t);
	if (kill(pid, 0) && errno == ESRCH)
		return fail(t, "no such process");
	int err = maps_read(&t->maps, pid);

	if (err)
		return fail_to_read(t, err);
	if (t->maps.n && !pid_has_library(pid))
		return fail_without_library(t);
	err = dwfl_linux_proc_report(t->dwfl, pid);
	if (err > 0)
		return fail_to_read(t, err);
	if (err)
		return fail(t, "its memory map cannot be read: %s", dwfl_errmsg(err));
	dwfl_report_end(t->dwfl, NULL, NULL);
	dwfl_getmodules(t->dwfl, note_target, t, 0);
	if (!t->has_files)
		return fail_without_memory(t);
	if (!read_page(t)) {
		char byte;
		struct iovec iov = { &byte, 1 };

		errno = 0;
		if (process_vm_readv(pid, &iov, 1, &iov, 1, 0) < 0 && errno == EPERM)
			return fail(t, "it may not be looked at: its memory is closed to this user%s",
				    yama_says_no() ? " (kernel.yama.ptrace_scope); try as root" : "");
		return false;
	}
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static bool read_segments(struct target *t)
{
	size_t n;

	if (elf_getphdrnum(t->core, &n))
		return fail(t, "%s", elf_errmsg(-1));
	t->segments = calloc(n, sizeof(*t->segments));
	if (!t->segments)
		return fail(t, "out of memory");
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(t->core, (int)i, &ph) || ph.p_type != PT_LOAD || !ph.p_filesz)
			continue;
		t->segments[t->nsegments++] = (struct segment){ ph.p_vaddr, ph.p_filesz, ph.p_offset };
	}
	qsort(t->segments, t->nsegments, sizeof(*t->segments), by_address);
	return true;
}

bool target_notes(const struct target *t, uint32_t type, bool (*fn)(const void *note, size_t bytes, void *arg),
		  void *arg)
{
	size_t n;

	if (elf_getphdrnum(t->core, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(t->core, (int)i, &ph) || ph.p_type != PT_NOTE)
			continue;
		Elf_Data *data = elf_getdata_rawchunk(t->core, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_NHDR);
		size_t at = 0, name_at, desc_at;
		GElf_Nhdr note;

		while (data && (at = gelf_getnote(data, at, &note, &name_at, &desc_at)))
			if (note.n_type == type && fn((char *)data->d_buf + desc_at, note.n_descsz, arg))
				return true;
	}
	return false;
}

static bool take_command(const void *note, size_t bytes, void *arg)
{
	struct target *t = arg;
	struct elf_prpsinfo info;

	if (bytes < sizeof(info))
		return false;
	memcpy(&info, note, sizeof(info));
	memcpy(t->command, info.pr_fname, sizeof(info.pr_fname));
	return true;
}

bool target_open_core(struct target *t, const char *core, const char *program)
{
	GElf_Ehdr header;

	if (!begin(t, &core_callbacks))
		return false;
	t->core_fd = open(core, O_RDONLY | O_CLOEXEC);
	if (t->core_fd < 0)
		return fail(t, "%s", strerror(errno));
	t->core = elf_begin(t->core_fd, ELF_C_READ_MMAP, NULL);
	if (!t->core || !gelf_getehdr(t->core, &header) || header.e_type != ET_CORE)
		return fail(t, "it is not a core file");
	if (access(program, R_OK))
		return fail(t, "%s: %s", program, strerror(errno));
	if (!read_segments(t))
		return false;
	target_notes(t, NT_PRPSINFO, take_command, t);
	if (dwfl_core_file_report(t->dwfl, t->core, program) < 0)
		return fail(t, "%s", dwfl_errmsg(-1));
	dwfl_report_end(t->dwfl, NULL, NULL);
	return read_page(t);
}

void target_close(struct target *t)
{
	target_forget_symbols(t);
	if (t->dwfl)
		dwfl_end(t->dwfl);
	if (t->core)
		elf_end(t->core);
	if (t->core_fd >= 0)
		close(t->core_fd);
	maps_free(&t->maps);
	free(t->segments);
	free(t->entries);
}

bool pid_has_library(pid_t pid)
{
	char path[64], line[4400];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		const char *base = strrchr(line, '/');

		found = base && library_of(base + 1) < LIBRARIES;
	}
	fclose(f);
	return found;
}
