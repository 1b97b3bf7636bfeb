// SPDX-License-Identifier: BSD-2-Clause
/*
 * The admitted processes.  An entry's index is the index of its page in the kernel's map.  It is given
 * to another process when the whole thread group has ended; a kernel thread that would still name it
 * (the child of a fork that knows the token) finds that no slot of the new page has its life.
 *
 * A process that is admitted anew, or ends while the child of a fork goes on, may leave a page behind that somebody
 * has mapped.  So much is remembered of each that its memory counts against its user as long as it is there.
 *
 * Pages are made before they are needed, several at once: the kernel takes its time for it, however many they are.
 */
#include "daemon.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static struct entry {
	struct watch watch;		/* the pidfd: readable when the process has ended */
	uint64_t token;
	pid_t pid;			/* 0: free */
	uid_t uid;
	int page, control;		/* its pages, if they have been made and not been given away; or -1 */
	uint32_t page_id, control_id;	/* the same, also when they have been; 0: none */
} table[ABI_PROCESSES];

/*
 * Maps that were given to a process, when another has their place in the kernel's map.  Where there are
 * KEPT_MAX nobody but root is admitted, so no more can come than are given now.
 */
enum { KEPT_MAX = ABI_PROCESSES };

static struct kept {
	uint32_t id;
	uid_t uid;
	bool exists;
} kept[KEPT_MAX + 2 * ABI_PROCESSES];

static unsigned nkept;
static struct limits limits;
static unsigned used, ready;
static unsigned long admissions, refusals;

enum { READY_MIN = 4, READY_MAX = 16 };

static void keep(uint32_t id, uid_t uid)
{
	if (id && uid && nkept < sizeof(kept) / sizeof(kept[0]))
		kept[nkept++] = (struct kept){ id, uid, false };
}

static void note_existing(uint32_t id)
{
	for (unsigned i = 0; i < nkept; i++)
		kept[i].exists |= kept[i].id == id;
}

static void forget_gone(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nkept; i++)
		kept[i].exists = false;
	if (kernel_each_map(note_existing))
		return;
	for (unsigned i = 0; i < nkept; i++)
		if (kept[i].exists)
			kept[n++] = kept[i];
	nkept = n;
}

/* NULL, or why uid is not to be given another page. */
static const char *keeps_too_many(uid_t uid)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nkept; i++)
		n += kept[i].uid == uid;
	if (n >= limits.per_user)
		return "--per-user: so many pages that this user's processes were given before are still mapped";
	return nkept < KEPT_MAX ? NULL : "too many pages that users' processes were given before are still mapped";
}

/* Whose process gets none is told of blocks by the programs. */
static void make_controls(const unsigned *index, unsigned n)
{
	int fds[READY_MAX];

	if (!scheduler_is_on() || scheduler_make_controls(index, n, fds) != 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		struct entry *e = &table[index[i]];

		if (e->control >= 0)		/* its process did not want it */
			close(e->control);
		else
			keep(e->control_id, e->uid);
		e->control = fds[i];
		e->control_id = kernel_map_id(fds[i]);
	}
}

/* Pages for free entries, up to READY_MAX.  0 or -errno. */
static int make_pages(void)
{
	unsigned index[READY_MAX], n = 0;
	int fds[READY_MAX];

	for (unsigned i = 0; i < limits.processes && ready + n < READY_MAX; i++)
		if (!table[i].pid && table[i].page < 0)
			index[n++] = i;
	int err = n ? kernel_make_pages(index, n, fds) : 0;

	if (err || !n)
		return err;
	for (unsigned i = 0; i < n; i++) {
		struct entry *e = &table[index[i]];

		keep(e->page_id, e->uid);
		scheduler_free_range(index[i]);
		e->page = fds[i];
		e->page_id = kernel_map_id(fds[i]);
	}
	ready += n;
	make_controls(index, n);
	return 0;
}

void table_make_ready(bool has_time)
{
	if (ready < READY_MIN || (has_time && ready < READY_MAX))
		make_pages();		/* who needs one hears what is wrong */
}

void table_init(const struct limits *l)
{
	limits = *l;
	for (struct entry *e = table; e < table + ABI_PROCESSES; e++)
		e->page = e->control = -1;
	make_pages();
}

static void on_end_of_process(void *arg)
{
	struct entry *e = arg;

	watch_remove(&e->watch);
	close(e->watch.fd);
	kernel_expel((unsigned)(e - table), e->token);
	e->pid = 0;
	used--;
}

static struct entry *find(pid_t pid)
{
	for (struct entry *e = table; e < table + limits.processes; e++)
		if (e->pid == pid)
			return e;
	return NULL;
}

static unsigned count_of_user(uid_t uid)
{
	unsigned n = 0;

	for (struct entry *e = table; e < table + limits.processes; e++)
		n += e->pid && e->uid == uid;
	return n;
}

static struct entry *find_ready(void)
{
	for (struct entry *e = table; e < table + limits.processes; e++)
		if (!e->pid && e->page >= 0)
			return e;
	return NULL;
}

static int admit_in(struct entry *e, pid_t pid, uid_t uid, int pidfd, uint64_t token, int *ret_fd)
{
	int err = kernel_admit((unsigned)(e - table), token);

	if (err)
		return err;
	e->watch = (struct watch){ on_end_of_process, e, pidfd };
	err = watch_add(&e->watch);
	if (err) {
		kernel_expel((unsigned)(e - table), token);
		return err;
	}
	*ret_fd = e->page;
	e->page = -1;
	ready--;
	e->token = token;
	e->pid = pid;
	e->uid = uid;
	used++;
	return 0;
}

static int refuse(int err, char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	refusals++;
	return err;
}

int table_admit(pid_t pid, uid_t uid, int pidfd, uint64_t *ret_token, int *ret_fd, char *why, size_t size)
{
	struct entry *before = find(pid), *e;
	uint64_t token;
	int err = 0;

	if (getrandom(&token, sizeof(token), 0) != sizeof(token))
		return refuse(-EIO, why, size, "no randomness");
	if (uid && keeps_too_many(uid)) {
		forget_gone();
		const char *too_many = keeps_too_many(uid);

		if (too_many)
			return refuse(-EUSERS, why, size, too_many);
	}
	if (before)			/* it executes another program now, or its runtime starts anew */
		on_end_of_process(before);
	if (uid && count_of_user(uid) >= limits.per_user)
		return refuse(-EUSERS, why, size, "--per-user: too many processes of this user");
	if (used == limits.processes)
		return refuse(-ENOSPC, why, size, "upcalld's table of processes is full");
	e = find_ready();
	if (!e && (err = make_pages()) == 0)
		e = find_ready();
	err = e ? admit_in(e, pid, uid, pidfd, token, ret_fd) : err;
	if (err)
		return refuse(err, why, size, strerror(-err));
	admissions++;
	*ret_token = token;
	return 0;
}

/* A process that has ended keeps its range of vprocs until its page is replaced.  Not for so long: one of uid's, or any. */
static bool free_a_range(uid_t uid, bool is_any)
{
	struct entry *found = NULL;

	for (struct entry *e = table; e < table + limits.processes; e++)
		if (!e->pid && scheduler_has_range((unsigned)(e - table)) && (is_any || e->uid == uid))
			found = e;
	if (!found || kernel_drop_page((unsigned)(found - table)))
		return false;
	keep(found->page_id, found->uid);
	found->page_id = 0;
	scheduler_free_range((unsigned)(found - table));
	return true;
}

/* Of a process that has been admitted.  0 or -errno; *ret_fd is the caller's to close. */
int table_admit_to_scheduler(pid_t pid, int *ret_fd)
{
	struct entry *e = find(pid);

	if (!e || e->control < 0)
		return e ? -ENOSPC : -ESRCH;
	int err = scheduler_admit((unsigned)(e - table), e->uid);

	if ((err == -ENOSPC || err == -EDQUOT) && free_a_range(e->uid, err == -ENOSPC))
		err = scheduler_admit((unsigned)(e - table), e->uid);
	if (err)
		return err;
	*ret_fd = e->control;
	e->control = -1;
	return 0;
}

void table_status(char *text, size_t size)
{
	char shares[96];

	share_status(shares, sizeof(shares));
	snprintf(text, size, "upcalld: %s%s; processes: %u of %u, %lu admitted, %lu refused%s",
		 kernel_sources() ? "bpf" : "tells of no blocks", kernel_sources() & ABI_SCX ? ", sched_ext" : "", used,
		 limits.processes, admissions, refusals, shares);
}
