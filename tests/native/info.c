// SPDX-License-Identifier: BSD-2-Clause
// What is known of a thread, asked by its handle or its number: of each that lives, and of none that has ended.
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <upcall/page.h>
#include <upcall/stats.h>

enum { ROUNDS = 3000, LOOKERS = 3 };

static struct upcall_sem begun;
static struct upcall_mutex held;
static char *local;			/* in the frame of who said so last */

static struct upcall_thread_info about(upcall_t t)
{
	struct upcall_thread_info info;

	memset(&info, 0xee, sizeof(info));
	info.size = sizeof(info);
	CHECK_IS(upcall_info(t, &info), 0);
	CHECK_IS(info.size, sizeof(info));
	return info;
}

/* Until it waits, with a kernel thread of its own or without. */
static struct upcall_thread_info settled(upcall_t t)
{
	struct upcall_thread_info info = about(t);

	for (uint64_t start = upcall_now(); info.wait == UPCALL_WAIT_NOTHING; info = about(t)) {
		CHECK(upcall_now() - start < 20000 * MS);
		upcall_sleep(MS);
	}
	return info;
}

static void *wait_for_mutex(void *arg)
{
	char here;

	local = &here;
	upcall_set_name(upcall_self(), "locked-out");
	CHECK_IS(upcall_sem_post(&begun), 0);
	CHECK_IS(upcall_mutex_lock(&held), 0);
	CHECK_IS(upcall_mutex_unlock(&held), 0);
	CHECK(about(NULL).id == about(upcall_self()).id);
	return arg;
}

static void test_of_one(unsigned flags)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	struct upcall_thread_info info;
	upcall_t t;

	attr.flags = flags;
	CHECK_IS(upcall_mutex_lock(&held), 0);
	CHECK_IS(upcall_create(&t, &attr, wait_for_mutex, NULL), 0);
	CHECK_IS(upcall_sem_wait(&begun), 0);
	info = settled(t);
	CHECK_IS(info.state, flags & UPCALL_BOUND ? UPCALL_STATE_BOUND : UPCALL_STATE_PARKED);
	CHECK(info.wait == UPCALL_WAIT_MUTEX && info.object == &held && info.deadline_ns == UPCALL_NEVER);
	CHECK(info.id > 1 && info.tid > 0 && !strcmp(info.name, "locked-out"));
	CHECK((flags & UPCALL_BOUND) ? info.vproc == -1 : info.vproc >= 0);
	CHECK(local >= (char *)info.stack && local < (char *)info.stack + info.stack_bytes);
	CHECK(upcall_find(info.id) == t);
	CHECK_IS(upcall_mutex_unlock(&held), 0);

	/* It has ended, and can be joined; then it cannot be, and is nobody. */
	for (uint64_t start = upcall_now(); about(t).state != UPCALL_STATE_DONE; upcall_sleep(MS))
		CHECK(upcall_now() - start < 20000 * MS);
	join(t);
	CHECK_IS(upcall_info(t, &info), -ESRCH);
	CHECK(!upcall_find(info.id));
}

/* Those that pthread_create made: kernel threads that Upcall did not make are seen from when they call it until they end. */
static atomic_int theirs;
static upcall_t their_handle;

static void *call_and_end(void *arg)
{
	their_handle = upcall_self();
	CHECK_IS(about(NULL).tid, gettid());
	theirs = 1;
	while (theirs == 1)
		usleep(1000);
	return arg;
}

static void test_of_others(void)
{
	struct upcall_thread_info info;
	pthread_t p;

	CHECK(pthread_create(&p, NULL, call_and_end, NULL) == 0);
	while (!theirs)
		upcall_sleep(MS);
	info = about(their_handle);
	CHECK(info.state != UPCALL_STATE_DONE && upcall_find(info.id) == their_handle);
	theirs = 2;
	CHECK(pthread_join(p, NULL) == 0);
	for (uint64_t start = upcall_now(); upcall_info(their_handle, &info) != -ESRCH; usleep(1000))
		CHECK(upcall_now() - start < 20000 * MS);
	CHECK(!upcall_find(info.id));

	/* Who has its memory has another number. */
	uint32_t id = info.id;

	for (int i = 0; i < 40; i++) {
		upcall_t before = their_handle;

		theirs = 0;
		CHECK(pthread_create(&p, NULL, call_and_end, NULL) == 0);
		while (!theirs)
			upcall_sleep(MS);
		info = about(their_handle);
		CHECK(info.id > id && upcall_find(info.id) == their_handle && !upcall_find(id));
		id = info.id;
		theirs = 2;
		CHECK(pthread_join(p, NULL) == 0);
		if (their_handle == before)
			break;
	}
}

/* Detached ones end as they are looked at: what is said is of them, of one after them, or that there is none. */
static upcall_t mayfly;
static atomic_uint mayfly_id;
static atomic_ulong met, missed;
static atomic_bool is_over;

static void *end_at_once(void *arg)
{
	return arg;
}

static void look_once(void)
{
	struct upcall_thread_info info = { .size = sizeof(info) };
	upcall_t t = __atomic_load_n(&mayfly, __ATOMIC_ACQUIRE);
	int err = t ? upcall_info(t, &info) : -ESRCH;

	CHECK(err == 0 || err == -ESRCH);
	CHECK(err || (info.id && info.state <= UPCALL_STATE_DONE && info.wait <= UPCALL_WAIT_SIGNAL));
	err ? missed++ : met++;
	upcall_t found = upcall_find(mayfly_id);

	err = found ? upcall_info(found, &info) : 0;
	CHECK(err == 0 || err == -ESRCH);
}

static void *look(void *arg)
{
	while (!is_over) {
		look_once();
		upcall_yield();
	}
	return arg;
}

static void test_ends(void)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t lookers[LOOKERS];

	for (int i = 0; i < LOOKERS; i++)
		lookers[i] = spawn(look, NULL);
	attr.flags = test_flags | UPCALL_DETACHED;
	for (int i = 0; i < ROUNDS; i++) {
		upcall_t t;

		CHECK_IS(upcall_create(&t, &attr, end_at_once, NULL), 0);
		struct upcall_thread_info info = { .size = sizeof(info) };

		if (upcall_info(t, &info) == 0)
			mayfly_id = info.id;
		__atomic_store_n(&mayfly, t, __ATOMIC_RELEASE);
		look_once();
		upcall_yield();
		look_once();
	}
	is_over = true;
	for (int i = 0; i < LOOKERS; i++)
		join(lookers[i]);
	CHECK(missed > 0);
}

static void test(void)
{
	struct upcall_thread_info info = { .size = sizeof(info) };

	CHECK_IS(upcall_sem_init(&begun, 0), 0);
	CHECK(about(NULL).id == 1 && upcall_find(1) == upcall_self());
	test_of_one(test_flags);
	enum upcall_thread_state own = about(upcall_self()).state;

	CHECK(own == UPCALL_STATE_RUNNING || own == UPCALL_STATE_KERNEL);	/* a page fault may have cost it its vproc */
	if (!test_flags)
		test_of_one(UPCALL_BOUND);
	test_of_others();
	test_ends();
	CHECK(!upcall_find(0) && !upcall_find(UINT32_MAX));
	info.size = 3;
	CHECK_IS(upcall_info(NULL, &info), -EINVAL);

	/* A forked child has none of the others. */
	upcall_t other = spawn(wait_for_mutex, NULL);
	pid_t child = fork();
	int status;

	if (child == 0) {
		info.size = sizeof(info);
		_exit(upcall_info(other, &info) == -ESRCH && !upcall_find(about(NULL).id + 1) ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_IS(status, 0);
	join(other);
}
