// SPDX-License-Identifier: BSD-2-Clause
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli.h"

#define SCRIPT_DEPTH 5	/* as deep as the kernel follows #! */
#define LOADER "ld-linux-x86-64.so.2"

static void fails(struct program *p, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void fails(struct program *p, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->problem, sizeof(p->problem), fmt, ap);
	va_end(ap);
	p->status = status;
}

static int status_of(int err)
{
	return err == ENOENT || err == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* 0 when the kernel would start this file, else the errno that says why not. */
static int can_exec(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	if (!faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return 0;
	if (errno == EPERM)		/* a filter of system calls that does not know faccessat2 */
		return access(path, X_OK) ? errno : 0;
	return errno;
}

static bool join(char *buf, size_t size, const char *dir, size_t dir_len, const char *name)
{
	int n = dir_len ? snprintf(buf, size, "%.*s/%s", (int)dir_len, dir, name)
			: snprintf(buf, size, "%s", name);

	return n > 0 && (size_t)n < size;
}

/* Walks PATH; a file that may not be run is remembered in case nothing better comes. */
static int search_path(const char *name, char *path, size_t size)
{
	const char *dirs = getenv("PATH");
	int err = ENOENT;

	if (!dirs)
		dirs = "/bin:/usr/bin";
	for (const char *dir = dirs;; dir++) {
		size_t len = strcspn(dir, ":");
		/* An empty entry is the current folder. */
		bool fits = join(path, size, len ? dir : ".", len ? len : 1, name);
		int e = fits ? can_exec(path) : ENAMETOOLONG;

		if (!e)
			return 0;
		/* A folder that may not be entered has nothing to say about the file. */
		if (fits && !access(path, F_OK))
			err = e;
		dir += len;
		if (!*dir)
			return err;
	}
}

static bool find(const char *name, struct program *p)
{
	int err;

	if (!*name) {
		fails(p, EXIT_NOT_FOUND, "the name of the program is empty");
		return false;
	}
	if (!strchr(name, '/'))
		err = search_path(name, p->path, sizeof(p->path));
	else if (!join(p->path, sizeof(p->path), "", 0, name))
		err = ENAMETOOLONG;
	else
		err = can_exec(p->path);
	if (err)
		fails(p, status_of(err), "%s: %s", name, err == ENOENT ? "not found" : strerror(err));
	return !err;
}

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_386: return "32-bit x86";
	case EM_ARM: return "32-bit ARM";
	case EM_AARCH64: return "ARM64";
	case EM_RISCV: return "RISC-V";
	case EM_PPC64: return "POWER";
	case EM_S390: return "S/390";
	default: return "another processor";
	}
}

/* True when the kernel will run this file with other rights than ours, which drops LD_PRELOAD. */
static bool changes_rights(const char *path)
{
	struct stat st;
	struct statvfs fs;

	if (stat(path, &st) || statvfs(path, &fs))
		return false;
	if (fs.f_flag & ST_NOSUID || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return false;
	uid_t euid = st.st_mode & S_ISUID ? st.st_uid : geteuid();
	gid_t egid = (st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) ? st.st_gid : getegid();

	if (euid != getuid() || egid != getgid())
		return true;
	return getuid() && getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Reads the path of the dynamic linker: 1, 0 when the file names none, -1 when it is damaged. */
static int read_loader(int fd, const Elf64_Ehdr *eh, char *loader, size_t size)
{
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		Elf64_Phdr ph;
		off_t at = (off_t)(eh->e_phoff + (uint64_t)i * eh->e_phentsize);

		if (pread(fd, &ph, sizeof(ph), at) != (ssize_t)sizeof(ph))
			return -1;
		if (ph.p_type != PT_INTERP)
			continue;
		size_t n = ph.p_filesz < size ? ph.p_filesz : size - 1;

		if (pread(fd, loader, n, (off_t)ph.p_offset) != (ssize_t)n)
			return -1;
		loader[n] = 0;
		return 1;
	}
	return 0;
}

static void inspect_loader(const char *path, const char *loader, struct program *p)
{
	const char *base = strrchr(loader, '/');

	if (can_exec(loader))
		fails(p, EXIT_NOT_FOUND, "%s: its dynamic linker %s is missing", path, loader);
	else if (strcmp(base ? base + 1 : loader, LOADER))
		snprintf(p->plainly, sizeof(p->plainly), "its C library (%s) is not glibc", loader);
}

/* The oldest that the tests have seen. */
static bool is_libc_too_old(void)
{
	int major = 0, minor = 0;

	return sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 && major == 2 && minor < 31;
}

static void inspect_x86_64(const char *path, int fd, const Elf64_Ehdr *eh, struct program *p)
{
	char loader[256];
	int has_loader = read_loader(fd, eh, loader, sizeof(loader));

	if (has_loader < 0)
		fails(p, EXIT_NOT_EXECUTABLE, "%s: a damaged program", path);
	else if (!has_loader)
		snprintf(p->plainly, sizeof(p->plainly), "it is statically linked");
	else if (changes_rights(path))
		snprintf(p->plainly, sizeof(p->plainly), "it is setuid, setgid or has capabilities");
	else if (is_libc_too_old())
		snprintf(p->plainly, sizeof(p->plainly), "glibc is %s, and 2.31 is needed", gnu_get_libc_version());
	else
		inspect_loader(path, loader, p);
}

static void inspect_elf(const char *path, int fd, const Elf64_Ehdr *eh, struct program *p)
{
	if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN)
		fails(p, EXIT_NOT_EXECUTABLE, "%s: an object or core file, not a program", path);
	else if (eh->e_machine != EM_X86_64)
		snprintf(p->plainly, sizeof(p->plainly), "it is made for %s, not x86-64",
			 machine_name(eh->e_machine));
	else if (eh->e_ident[EI_CLASS] != ELFCLASS64)
		snprintf(p->plainly, sizeof(p->plainly), "it is made for x32, not x86-64");
	else
		inspect_x86_64(path, fd, eh, p);
}

/* Cuts the interpreter out of a #! line; false when the line names none. */
static bool interpreter_of(char *line)
{
	char *start = line + 2 + strspn(line + 2, " \t");
	size_t len = strcspn(start, " \t\n");

	memmove(line, start, len);
	line[len] = 0;
	return len > 0;
}

static void inspect_file(const char *path, int depth, struct program *p);

static void inspect_script(const char *path, char *line, int depth, struct program *p)
{
	int err;

	if (!interpreter_of(line))
		fails(p, EXIT_NOT_EXECUTABLE, "%s: its first line names no interpreter", path);
	else if (depth == SCRIPT_DEPTH)
		fails(p, EXIT_NOT_EXECUTABLE, "%s: too many interpreters of interpreters", path);
	else if ((err = can_exec(line)))
		fails(p, status_of(err), "%s: its interpreter %s: %s", path, line, strerror(err));
	else
		inspect_file(line, depth + 1, p);
}

/*
 * A file without a format that the kernel knows is a shell script for execvp, unless its first
 * line holds a zero byte.
 */
static void inspect_file(const char *path, int depth, struct program *p)
{
	union {
		Elf64_Ehdr eh;
		char text[257];
	} head = { .text = { 0 } };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)	/* may be run but not read: whatever it is, the kernel will say */
		return;
	ssize_t n = pread(fd, &head, sizeof(head.text) - 1, 0);
	size_t text_len = strlen(head.text);

	if (n >= (ssize_t)sizeof(head.eh) && !memcmp(head.text, ELFMAG, SELFMAG))
		inspect_elf(path, fd, &head.eh, p);
	else if (n > 2 && !memcmp(head.text, "#!", 2))
		inspect_script(path, head.text, depth, p);
	else if (depth || (n > (ssize_t)text_len && !strchr(head.text, '\n')))
		fails(p, EXIT_NOT_EXECUTABLE, "%s: neither a program nor a script", path);
	else {
		p->is_shell_text = true;
		inspect_file(SHELL, depth + 1, p);
	}
	close(fd);
}

void program_inspect(const char *name, struct program *p)
{
	p->status = 0;
	p->is_shell_text = false;
	p->path[0] = p->problem[0] = p->plainly[0] = 0;
	if (find(name, p))
		inspect_file(p->path, 0, p);
}

int program_exec(const struct program *p, char **argv, int argc)
{
	if (!p->is_shell_text) {
		execv(p->path, argv);
		return errno;
	}
	char **shell_argv = calloc((size_t)argc + 2, sizeof(*shell_argv));

	if (!shell_argv)
		return ENOMEM;
	shell_argv[0] = argv[0];
	shell_argv[1] = (char *)p->path;
	memcpy(shell_argv + 2, argv + 1, (size_t)argc * sizeof(*argv));
	execv(SHELL, shell_argv);
	return errno;
}

int program_exit_status(int err)
{
	if (err == E2BIG || err == ENOMEM)
		return EXIT_OURS;
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
