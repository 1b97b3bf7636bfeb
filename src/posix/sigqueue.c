// SPDX-License-Identifier: BSD-2-Clause
/*
 * Queued signals.
 *
 * Each thread has two lists of nodes: `incoming`, a stack that anybody pushes to, signal handlers
 * inside the runtime included, so it has no lock; and `held`, in order of arrival, which only the
 * thread itself touches, with in_rt set, so that its own handlers stay off.  Nodes come from a
 * static pool whose free list is a stack with a tag against reuse in between (ABA).
 *
 * A signal of the process is only lent to a thread that admits it: should the thread block it before
 * it is delivered, it goes back, for others to take.
 *
 * A standard signal that is queued already is not queued again, as in the kernel; of the process's,
 * lent_standard says it before they are queued: one that sends in a loop would fill the pool.  Of those sent to one
 * thread, thread.directed says it when the pool is no longer nearly empty.  Nor is that of a timer queued again: its queued one counts what it missed, on top of what the kernel had counted before
 * it gave us that one; timer_getoverrun is told when it is taken.  Ignoring a signal
 * discards what is queued of it: nodes say how often that had happened when they were queued, and
 * whoever owns a list drops those of before.
 */
#include <string.h>

#include "../base/child.h"
#include "../base/lock.h"
#include "signal.h"

enum { POOL = 2048, KEPT_FOR_STANDARD = 256, NEARLY_EMPTY = 256 };

struct node {
	struct node *next;
	struct au32 free_next;	/* index + 1 */
	uint32_t discards;	/* discarded[] of its signal when it was queued */
	uint64_t number;	/* they come to us in this order */
	bool is_lent;		/* the process's, not the thread's */
	siginfo_t info;
};

static struct node pool[POOL];
static struct au64 pool_free;	/* index + 1 in the low half, a tag in the high half */
static struct au32 pool_fresh;	/* nodes never used begin here */
static struct au32 pool_used;

static struct au64 numbers;
static struct au32 discarded[65];
static struct au64 lent_standard;	/* those that are lent, orphans, or about to be; some may be without it, and be two */

static struct lock orphan_lock;	/* inside the runtime; not taken by handlers */
static struct node *orphan_incoming, *orphan_held;
static struct au64 orphan_bits;	/* a superset of the signals in both */

static struct node *node_new(void)
{
	uint64_t head = load_acquire(&pool_free);
	uint32_t fresh;

	while ((uint32_t)head) {
		struct node *n = &pool[(uint32_t)head - 1];
		uint64_t next = ((head >> 32) + 1) << 32 | load_relaxed(&n->free_next);	/* the tag tells */

		if (cas_acquire(&pool_free, &head, next))
			return n;
	}
	fresh = load_relaxed(&pool_fresh);
	while (fresh < POOL)
		if (cas_acquire(&pool_fresh, &fresh, fresh + 1))
			return &pool[fresh];
	return NULL;
}

static void node_free(struct node *n)
{
	uint64_t head = load_relaxed(&pool_free), now;

	do {
		store_relaxed(&n->free_next, (uint32_t)head);
		now = ((head >> 32) + 1) << 32 | (uint32_t)(n - pool + 1);
	} while (!cas_release(&pool_free, &head, now));
	fetch_sub(&pool_used, 1);
}

/* Real-time signals leave some room for the others, which cannot report a failure. */
static struct node *node_for(const siginfo_t *info, bool is_lent)
{
	uint32_t used = fetch_add(&pool_used, 1);
	struct node *n = info->si_signo >= 32 && used >= POOL - KEPT_FOR_STANDARD ? NULL : node_new();

	if (!n) {
		fetch_sub(&pool_used, 1);
		return NULL;
	}
	n->info = *info;
	n->is_lent = is_lent;
	n->discards = load_acquire(&discarded[info->si_signo]);
	n->number = fetch_add(&numbers, 1);
	return n;
}

static void stack_push(struct node **head, struct node *n)
{
	n->next = __atomic_load_n(head, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(head, &n->next, n, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

/* For the last signal of each timer that a thread of ours took: its id + 1, and the overruns. */
enum { OVERRUNS = 64 };
static struct au64 overruns[OVERRUNS];

static struct au64 *overruns_of(int timer)
{
	return &overruns[(unsigned)timer % OVERRUNS];
}

void sigqueue_forget_overruns(int timer)
{
	store_relaxed(overruns_of(timer), 0);	/* relaxed: of the last signal, whichever that is now */
}

int sigqueue_overruns(int timer, int otherwise)
{
	uint64_t known = load_relaxed(overruns_of(timer));

	return known >> 32 == (uint64_t)timer + 1 ? (int)(uint32_t)known : otherwise;
}

static bool is_of_timer(const siginfo_t *info)
{
	return info->si_code == SI_TIMER && info->si_timerid >= 0;
}

/* What is queued already and stands for n as well. */
static struct node *find_same(struct node *list, const struct node *n)
{
	bool is_timers = is_of_timer(&n->info);

	if (!is_timers && n->info.si_signo >= 32)
		return NULL;
	for (; list; list = list->next)
		if (list->info.si_signo == n->info.si_signo && list->is_lent == n->is_lent &&
		    (!is_timers || (is_of_timer(&list->info) && list->info.si_timerid == n->info.si_timerid)))
			return list;
	return NULL;
}

static void drop_discarded(struct node **at)
{
	while (*at) {
		struct node *n = *at;

		if (n->discards == load_acquire(&discarded[n->info.si_signo])) {
			at = &n->next;
		} else {
			*at = n->next;
			node_free(n);
		}
	}
}

/* n stands for another of its kind, which is dropped. */
static void stand_for(struct node *n, struct node *other)
{
	if (is_of_timer(&other->info))
		n->info.si_overrun += 1 + other->info.si_overrun;
	node_free(other);
}

/* Moves what came in behind what is held.  The caller owns `held`. */
static void collect(struct node **incoming, struct node **held)
{
	struct node *stack = __atomic_exchange_n(incoming, NULL, __ATOMIC_SEQ_CST), *queue = NULL;

	while (stack) {
		struct node *next = stack->next;

		stack->next = queue;
		queue = stack;
		stack = next;
	}
	while (queue) {
		struct node *next = queue->next, **end = held;

		struct node *same = find_same(*held, queue);

		if (same) {
			stand_for(same, queue);
		} else {
			while (*end)
				end = &(*end)->next;
			queue->next = NULL;
			*end = queue;
		}
		queue = next;
	}
	drop_discarded(held);
}

static uint64_t bits_of(const struct node *list)
{
	uint64_t bits = 0;

	for (; list; list = list->next)
		bits |= SIG_BIT(list->info.si_signo);
	return bits;
}

static bool comes_before(const struct node *a, const struct node *b)
{
	int sig = a->info.si_signo, other = b->info.si_signo;

	return sig < other || (sig == other && a->number < b->number);
}

/*
 * The lowest signal first, of one signal the oldest, as in the kernel.  One that was an orphan meanwhile may be held
 * behind others that came later.
 */
static struct node *unlink_first(struct node **held, uint64_t set, bool timers_too)
{
	struct node **first = NULL, *n;

	for (struct node **at = held; *at; at = &(*at)->next)
		if ((set & SIG_BIT((*at)->info.si_signo)) && (timers_too || !is_of_timer(&(*at)->info)) &&
		    (!first || comes_before(*at, *first)))
			first = at;
	if (!first)
		return NULL;
	n = *first;
	*first = n->next;
	return n;
}

/* owner: whose `held` is; NULL: orphans, all of which are lent. */
static int take(struct thread *owner, struct node **held, uint64_t set, bool timers_too, siginfo_t *ret_info)
{
	struct node *n = unlink_first(held, set, timers_too);

	if (!n)
		return 0;
	int sig = n->info.si_signo;

	*ret_info = n->info;
	/* From here on another one is another one. */
	if (n->is_lent && sig < 32)
		fetch_and(&lent_standard, ~SIG_BIT(sig));
	else if (!n->is_lent && sig < 32)
		fetch_and(&owner->directed, ~(uint32_t)SIG_BIT(sig));
	node_free(n);
	return sig;
}

/* It is about to be handled.  The kernel may have given another one to an idle activation, and speak of that. */
static void note_overruns(const siginfo_t *info)
{
	if (is_of_timer(info))
		store_relaxed(overruns_of(info->si_timerid),
			      ((uint64_t)info->si_timerid + 1) << 32 | (uint32_t)info->si_overrun);
}

static struct node **incoming_of(struct thread *t)
{
	return (struct node **)&t->posix[PW_INCOMING];
}

static struct node **held_of(struct thread *t)
{
	return (struct node **)&t->posix[PW_HELD];
}

/* Only its own handlers could disturb a thread at its queue: they stay off while in_rt is set. */
static uint32_t own_begin(struct thread *me)
{
	uint32_t was = me->in_rt;

	me->in_rt = 1;
	compiler_barrier();
	return was;
}

static void own_end(struct thread *me, uint32_t was)
{
	compiler_barrier();
	me->in_rt = was;
}

static void push_node(struct thread *t, struct node *n)
{
	uint64_t bit = SIG_BIT(n->info.si_signo);

	stack_push(incoming_of(t), n);
	/* pairs: masked_begin, which announces what it takes and then looks at the queue */
	uintptr_t takes = (uintptr_t)__atomic_load_n(&t->posix[PW_TAKES], __ATOMIC_SEQ_CST);

	fetch_or(&t->pending, PEND_SIGNAL | (takes & bit ? PEND_TAKES : 0));
}

static bool push(struct thread *t, const siginfo_t *info, bool is_lent)
{
	struct node *n = node_for(info, is_lent);

	if (n)
		push_node(t, n);
	return n;
}

static bool push_directed(struct thread *t, const siginfo_t *info, bool is_wanted_now)
{
	uint32_t bit = info->si_signo < 32 && !is_of_timer(info) ? (uint32_t)SIG_BIT(info->si_signo) : 0;
	bool is_queued = bit && (fetch_or(&t->directed, bit) & bit);

	/* Who set it may not have queued his yet, which somebody could see: so only where it must be. */
	if (is_queued && !is_wanted_now && load_relaxed(&pool_used) >= NEARLY_EMPTY)
		return true;
	if (push(t, info, false))
		return true;
	if (bit && !is_queued)
		fetch_and(&t->directed, ~bit);
	return is_queued;
}

bool sigqueue_push(struct thread *t, const siginfo_t *info)
{
	return push_directed(t, info, false);
}

bool sigqueue_push_for_now(struct thread *me, const siginfo_t *info)
{
	return push_directed(me, info, true);
}

void sigqueue_lent_to_nobody(int sig)
{
	if (sig < 32)
		fetch_and(&lent_standard, ~SIG_BIT(sig));
}

bool sigqueue_lend(struct thread *t, const siginfo_t *info)
{
	if (info->si_signo < 32)
		fetch_or(&lent_standard, SIG_BIT(info->si_signo));
	if (push(t, info, true))
		return true;
	sigqueue_lent_to_nobody(info->si_signo);
	return false;
}

bool sigqueue_is_lent(int sig)
{
	return sig < 32 && (load_acquire(&lent_standard) & SIG_BIT(sig));
}

bool sigqueue_begin_lending(int sig)
{
	return sig >= 32 || !(fetch_or(&lent_standard, SIG_BIT(sig)) & SIG_BIT(sig));
}

int sigqueue_take(struct thread *me, uint64_t set, siginfo_t *ret_info)
{
	uint32_t was = own_begin(me);

	collect(incoming_of(me), held_of(me));
	int sig = take(me, held_of(me), set, true, ret_info);

	if (sig)
		note_overruns(ret_info);
	own_end(me, was);
	return sig;
}

int sigqueue_take_oldest(struct thread *me, uint64_t set, siginfo_t *ret_info)
{
	orphan_lend(me, set & SIG_REAL_TIME);
	return sigqueue_take(me, set, ret_info);
}

/* Not one of libc's own: that does not look whether it has more when its handler ends, and may end itself without a word. */
static bool joins_orphans(const struct thread *me, uint64_t bit)
{
	return (orphan_set() & bit) && (me->kind == THREAD_USER || me->is_one_to_one || me == thread_main());
}

void sigqueue_join_timer(struct thread *me, siginfo_t *ret_info)
{
	uint64_t bit = SIG_BIT(ret_info->si_signo);

	if (!is_of_timer(ret_info))
		return;
	if (me->kind == THREAD_USER)
		note_overruns(ret_info);
	else
		sigqueue_forget_overruns(ret_info->si_timerid);	/* libc's own waits tell us nothing */
	if (likely(!joins_orphans(me, bit) && sigqueue_is_empty(me)))
		return;
	if (!sigqueue_lend(me, ret_info))
		return;
	while (joins_orphans(me, bit) && orphan_lend(me, bit))
		;
	sigqueue_take(me, bit, ret_info);
}

void sigqueue_join_queued(struct thread *me, siginfo_t *ret_info)
{
	uint64_t bit = SIG_BIT(ret_info->si_signo);

	if (likely(!joins_orphans(me, bit) && !(sigqueue_set(me) & bit)))
		return;
	while (joins_orphans(me, bit) && orphan_lend(me, bit))
		;
	if (push(me, ret_info, me->kind == THREAD_USER))	/* sent to a bound one it may be meant for it alone */
		sigqueue_take(me, bit, ret_info);
}

uint64_t sigqueue_set(struct thread *me)
{
	uint32_t was = own_begin(me);

	collect(incoming_of(me), held_of(me));
	uint64_t bits = bits_of(*held_of(me));

	own_end(me, was);
	return bits;
}

bool sigqueue_is_empty(const struct thread *me)
{
	return !word_get(me, PW_INCOMING) && !word_get(me, PW_HELD);
}

static void push_orphan(struct node *n)
{
	int sig = n->info.si_signo;

	stack_push(&orphan_incoming, n);	/* from here on it is anybody's */
	fetch_or(&orphan_bits, SIG_BIT(sig));
}

bool orphan_push(const siginfo_t *info)
{
	struct node *n = node_for(info, true);

	if (n)
		push_orphan(n);
	return n;
}

/* Under orphan_lock: all are held, and orphan_bits says what there is.  A push sets its bit last. */
static void gather_orphans(void)
{
	do {
		collect(&orphan_incoming, &orphan_held);
		store_seq_cst(&orphan_bits, bits_of(orphan_held));
	} while (__atomic_load_n(&orphan_incoming, __ATOMIC_SEQ_CST));
}

bool orphan_waits(int sig)
{
	struct thread *me = self_ptr;
	uint32_t was = own_begin(me);

	lock_take(&orphan_lock);	/* else gather_orphans may be about to find it */
	bool waits = load_seq_cst(&orphan_bits) & SIG_BIT(sig);

	lock_drop(&orphan_lock);
	own_end(me, was);
	return waits;
}

/* Each of the list that stands for a later one takes its place. */
static void drop_same(struct node *list)
{
	for (struct node *n = list; n; n = n->next)
		for (struct node *same; (same = find_same(n->next, n)) != NULL;) {
			struct node **at = &n->next;

			while (*at != same)
				at = &(*at)->next;
			*at = same->next;
			stand_for(n, same);
		}
}

/* They come before those that came since. */
bool sigqueue_give_back(struct thread *me, uint64_t set)
{
	uint32_t was = own_begin(me);
	struct node **at = held_of(me), *given = NULL, **end = &given;

	collect(incoming_of(me), at);
	while (*at) {
		struct node *n = *at;

		if (n->is_lent && (set & SIG_BIT(n->info.si_signo))) {
			*at = n->next;
			*end = n;
			end = &n->next;
		} else {
			at = &n->next;
		}
	}
	if (given) {
		lock_take(&orphan_lock);
		*end = orphan_held;
		orphan_held = given;
		drop_same(orphan_held);
		gather_orphans();
		lock_drop(&orphan_lock);
	}
	own_end(me, was);
	return given;
}

void orphan_gather(void)
{
	struct thread *me = self_ptr;
	uint32_t was = own_begin(me);

	lock_take(&orphan_lock);
	gather_orphans();
	lock_drop(&orphan_lock);
	own_end(me, was);
}

static int orphan_look(uint64_t set, bool timers_too, siginfo_t *ret_info)
{
	struct thread *me = self_ptr;
	int sig;
	uint32_t was = own_begin(me);

	lock_take(&orphan_lock);
	gather_orphans();
	sig = take(NULL, &orphan_held, set, timers_too, ret_info);
	if (sig) {
		gather_orphans();
		note_overruns(ret_info);
	}
	lock_drop(&orphan_lock);
	own_end(me, was);
	return sig;
}

int orphan_take_back(uint64_t set, bool timers_too, siginfo_t *ret_info)
{
	return load_seq_cst(&orphan_bits) & set ? orphan_look(set, timers_too, ret_info) : 0;
}

int orphan_take(uint64_t set, siginfo_t *ret_info)
{
	return orphan_take_back(set, true, ret_info);
}

bool orphan_lend(struct thread *t, uint64_t set)
{
	struct thread *me = self_ptr;

	if (!(load_seq_cst(&orphan_bits) & set))
		return false;
	uint32_t was = own_begin(me);

	lock_take(&orphan_lock);
	gather_orphans();
	struct node *n = unlink_first(&orphan_held, set, true);

	if (n) {
		if (n->info.si_signo < 32)
			fetch_or(&lent_standard, SIG_BIT(n->info.si_signo));
		push_node(t, n);		/* first: at any time it is to be found here or there */
		gather_orphans();
	}
	lock_drop(&orphan_lock);
	own_end(me, was);
	return n;
}

/* None that is queued from here on is to be dropped for one that has just been discarded. */
static void forget_directed(int sig)
{
	struct thread *me = rt_enter();

	thread_lock_all();
	for (struct list *l = threads.all.next; l != &threads.all; l = l->next)
		fetch_and(&container_of(l, struct thread, all_link)->directed, ~(uint32_t)SIG_BIT(sig));
	thread_unlock_all();
	rt_leave(me);
}

void sigqueue_discard(int sig)
{
	fetch_add(&discarded[sig], 1);
	fetch_and(&lent_standard, ~SIG_BIT(sig));
	if (sig < 32 && load_seq_cst(&pool_used) > 0)
		forget_directed(sig);
	if (load_seq_cst(&orphan_bits) & SIG_BIT(sig))
		orphan_gather();
}

uint64_t orphan_set(void)
{
	return load_seq_cst(&orphan_bits);
}

void sigqueue_empty(struct thread *t)
{
	siginfo_t info;

	collect(incoming_of(t), held_of(t));
	while (take(t, held_of(t), ~UINT64_C(0), true, &info))
		;
}

/* Signals that wait belong to the parent. */
void sigqueue_fork_child(struct thread *me)
{
	word_set(me, PW_INCOMING, 0);
	word_set(me, PW_HELD, 0);
	store_relaxed(&me->directed, 0);
	lock_fork_child(&orphan_lock);
	orphan_incoming = orphan_held = NULL;
	store_relaxed(&orphan_bits, 0);
	store_relaxed(&lent_standard, 0);
	store_relaxed(&pool_free, 0);
	store_relaxed(&pool_fresh, 0);
	store_relaxed(&pool_used, 0);
	zero_in_child(overruns, sizeof(overruns));
}
