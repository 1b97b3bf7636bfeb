// SPDX-License-Identifier: BSD-2-Clause
/*
 * The application of Anderson 1991: an O(N log N) N-body simulation after Barnes and Hut (in the plane)
 * that keeps its data in a file and a part of it in a buffer cache of its own.  In each step the tree is
 * built and written by one thread; then a thread is made for each some bodies, walks the tree through the
 * cache for the forces on them, and ends.  Only this second part is measured: `step` is its time,
 * `speedup` what a plain loop without threads and cache takes, divided by that, `misses` how often a block
 * was not in the cache.
 *
 * A miss blocks in pread from a file opened with O_DIRECT, so it takes what the disk takes, which may be
 * a thousandth of the 50 ms that the paper made each miss last.
 */
#include "activations.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	BODIES = 8192, BODIES_EACH = 512, THREADS = BODIES / BODIES_EACH, DEPTH_MAX = 48,
	BLOCK = 4096, NODES_MAX = 4 * BODIES, STACK_BYTES = 128 * 1024,
	ABSENT = 0, LOADING = -1,
	BASELINE_EVERY = 4, SAMPLES = 64,
};

static const double opening = 0.5, softening2 = 1e-6, step_length = 1e-4, error_max = 0.03;

/* `size` is the side of its square; a leaf has none, and one body. */
struct node {
	double x, y, mass, size;
	int32_t child[4];		/* -1: none */
	int32_t body, spare[3];
};

enum { NODES_EACH = BLOCK / sizeof(struct node), BLOCKS_MAX = NODES_MAX / NODES_EACH };

static struct body {
	double mass, x, y, vx, vy, ax, ay;
} bodies[BODIES];

/* `built` as bodies came; `image`, in another order, is what is in the file. */
static struct node built[NODES_MAX], image[NODES_MAX] __attribute__((aligned(BLOCK)));
static int nbuilt, nimage, order[BODIES], nordered;

/* ---- the buffer cache ---- */

/* A slot's `turn` is odd while a block is read into it; who copies from it looks before and afterwards. */
static struct slot {
	atomic_uint turn;
	atomic_bool is_used;		/* since the hand last passed */
	int block;
} slots[BLOCKS_MAX];
static struct node (*frames)[NODES_EACH];
static int nslots, hand, file;
static atomic_int where[BLOCKS_MAX];	/* of each block: slot + 1, ABSENT or LOADING */
static atomic_ulong misses;
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;	/* of all changes of slots and `where` */
static pthread_cond_t is_loaded = PTHREAD_COND_INITIALIZER;

static bool copy_from(struct slot *s, int node, struct node *ret_node)
{
	unsigned turn = atomic_load_explicit(&s->turn, memory_order_acquire);

	if (turn % 2 || atomic_load_explicit(&where[node / NODES_EACH], memory_order_relaxed) != s - slots + 1)
		return false;
	memcpy(ret_node, &frames[s - slots][node % NODES_EACH], sizeof(*ret_node));
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&s->turn, memory_order_relaxed) != turn)
		return false;
	if (!atomic_load_explicit(&s->is_used, memory_order_relaxed))
		atomic_store_explicit(&s->is_used, true, memory_order_relaxed);
	return true;
}

/* A slot to read into, by the clock's hand; NULL: all are being read into. */
static struct slot *evict(void)
{
	for (int i = 0; i < 2 * nslots; i++) {
		struct slot *s = &slots[hand];

		hand = (hand + 1) % nslots;
		if (atomic_load(&s->turn) % 2 || atomic_exchange(&s->is_used, false))
			continue;
		atomic_fetch_add(&s->turn, 1);
		atomic_store(&where[s->block], ABSENT);
		return s;
	}
	return NULL;
}

static void load(struct slot *s, int block)
{
	atomic_store(&where[block], LOADING);
	pthread_mutex_unlock(&cache_lock);
	atomic_fetch_add(&misses, 1);
	if (pread(file, frames[s - slots], BLOCK, (off_t)block * BLOCK) != BLOCK)
		die("read of block %d: %s", block, strerror(errno));
	pthread_mutex_lock(&cache_lock);
	s->block = block;
	atomic_fetch_add(&s->turn, 1);
	atomic_store(&where[block], (int)(s - slots) + 1);
	pthread_cond_broadcast(&is_loaded);
}

static void bring(int block)
{
	pthread_mutex_lock(&cache_lock);
	int now = atomic_load(&where[block]);
	struct slot *s = now == ABSENT ? evict() : NULL;

	if (s)
		load(s, block);
	else if (now == ABSENT || now == LOADING)
		pthread_cond_wait(&is_loaded, &cache_lock);
	pthread_mutex_unlock(&cache_lock);
}

static void fetch(int node, struct node *ret_node)
{
	for (;;) {
		int s = atomic_load_explicit(&where[node / NODES_EACH], memory_order_relaxed);

		if (s > 0 && copy_from(&slots[s - 1], node, ret_node))
			return;
		bring(node / NODES_EACH);
	}
}

/* The tree goes to the file, and as much of it as has room into the cache. */
static void write_tree(unsigned percent)
{
	int nblocks = (nimage + NODES_EACH - 1) / NODES_EACH;
	ssize_t bytes = (ssize_t)nblocks * BLOCK;

	if (pwrite(file, image, (size_t)bytes, 0) != bytes)
		die("write: %s", strerror(errno));
	nslots = (int)((unsigned)nblocks * percent + 99) / 100;
	hand = 0;
	for (int i = 0; i < nblocks; i++)
		atomic_store(&where[i], i < nslots ? i + 1 : ABSENT);
	for (int i = 0; i < nslots; i++) {
		slots[i].block = i;
		atomic_store(&slots[i].is_used, false);
	}
	memcpy(frames, image, (size_t)nslots * BLOCK);
}

static void open_file(void)
{
	char name[64];

	snprintf(name, sizeof(name), "bench-nbody-%d", (int)getpid());
	file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_DIRECT, 0600);
	int error = errno;

	unlink(name);
	if (file < 0) {
		note("files of this folder cannot be read past the page cache: %s", strerror(error));
		exit(EXIT_SKIP);
	}
	frames = aligned_alloc(BLOCK, sizeof(image));
	if (!frames)
		die("out of memory");
}

/* ---- the tree ---- */

static int new_node(double x, double y, double size, int body)
{
	if (nbuilt == NODES_MAX)
		die("the tree is too large");
	built[nbuilt] = (struct node){ .x = x, .y = y, .size = size, .child = { -1, -1, -1, -1 }, .body = body };
	return nbuilt++;
}

/* While the tree is built, x and y of an inner node are the centre of its square. */
static int quadrant(const struct node *n, const struct body *b)
{
	return (b->x >= n->x) + 2 * (b->y >= n->y);
}

static int *place_in(struct node *n, const struct body *b)
{
	return &n->child[quadrant(n, b)];
}

static int make_leaf(int body)
{
	return new_node(bodies[body].x, bodies[body].y, 0, body);
}

static int split(const struct node *above, int leaf, const struct body *b)
{
	double half = above->size / 2, x = above->x + (b->x >= above->x ? half / 2 : -half / 2);
	int inner = new_node(x, above->y + (b->y >= above->y ? half / 2 : -half / 2), half, -1);

	*place_in(&built[inner], &bodies[built[leaf].body]) = leaf;
	return inner;
}

static void insert(int body)
{
	const struct body *b = &bodies[body];
	int at = 0;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		int *place = place_in(&built[at], b);

		if (*place < 0) {
			*place = make_leaf(body);
			return;
		}
		if (built[*place].size == 0)
			*place = split(&built[at], *place, b);
		at = *place;
	}
	die("two bodies are in one place");
}

/* Finds the centres of mass, and the order of the bodies in which neighbours are together. */
static void settle(int at)
{
	struct node *n = &built[at];

	if (n->size == 0) {
		n->mass = bodies[n->body].mass;
		order[nordered++] = n->body;
		return;
	}
	n->x = n->y = 0;
	for (int i = 0; i < 4; i++) {
		if (n->child[i] < 0)
			continue;
		const struct node *c = &built[n->child[i]];

		settle(n->child[i]);
		n->mass += c->mass;
		n->x += c->mass * c->x;
		n->y += c->mass * c->y;
	}
	n->x /= n->mass;
	n->y /= n->mass;
}

/* Level by level: all walks begin in the first blocks, and end in those of their neighbourhood. */
static void lay_out(void)
{
	int n = 1;

	image[0] = built[0];
	for (nimage = 0; nimage < n; nimage++)
		for (int i = 0; i < 4; i++)
			if (image[nimage].child[i] >= 0) {
				image[n] = built[image[nimage].child[i]];
				image[nimage].child[i] = n++;
			}
}

static void build_tree(void)
{
	double far = 0;

	for (int i = 0; i < BODIES; i++)
		far = fmax(far, fmax(fabs(bodies[i].x), fabs(bodies[i].y)));
	nbuilt = nordered = 0;
	new_node(0, 0, 2 * far, -1);
	for (int i = 0; i < BODIES; i++)
		insert(i);
	settle(0);
	lay_out();
}

/* ---- forces ---- */

static void attract(struct body *b, double mass, double dx, double dy, double distance2)
{
	double d2 = distance2 + softening2, force = mass / (d2 * sqrt(d2));

	b->ax += force * dx;
	b->ay += force * dy;
}

/* Through the cache, or in the image itself. */
static void walk(struct body *body, bool is_cached)
{
	struct body b = *body;
	struct node copy;
	int stack[4 * DEPTH_MAX], n = 0;

	b.ax = b.ay = 0;
	stack[n++] = 0;
	while (n) {
		const struct node *at = &image[stack[--n]];

		if (is_cached) {
			fetch((int)(at - image), &copy);
			at = &copy;
		}
		double dx = at->x - b.x, dy = at->y - b.y, d2 = dx * dx + dy * dy;

		if (at->size * at->size < opening * opening * d2) {
			attract(&b, at->mass, dx, dy, d2);
			continue;
		}
		for (int i = 3; i >= 0 && at->size > 0; i--)
			if (at->child[i] >= 0)
				stack[n++] = at->child[i];
	}
	*body = b;
}

static void *run_walker(void *argument)
{
	const int *first = argument;

	for (int i = 0; i < BODIES_EACH; i++)
		walk(&bodies[first[i]], true);
	return NULL;
}

static uint64_t time_loop(void)
{
	uint64_t t_start = now_ns();

	for (int i = 0; i < BODIES; i++)
		walk(&bodies[order[i]], false);
	return now_ns() - t_start;
}

static uint64_t time_threads(void)
{
	pthread_t threads[THREADS];
	pthread_attr_t attr;
	uint64_t t_start = now_ns();

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (int i = 0; i < THREADS; i++)
		must("pthread_create", pthread_create(&threads[i], &attr, run_walker, &order[i * BODIES_EACH]));
	for (int i = 0; i < THREADS; i++)
		must("pthread_join", pthread_join(threads[i], NULL));
	pthread_attr_destroy(&attr);
	return now_ns() - t_start;
}

/* Against what each body does to each other one, for some of them. */
static void check_forces(void)
{
	double error2 = 0, sum2 = 0;

	for (int i = 0; i < SAMPLES; i++) {
		const struct body *b = &bodies[i * (BODIES / SAMPLES)];
		struct body exact = *b;

		exact.ax = exact.ay = 0;
		for (int j = 0; j < BODIES; j++) {
			double dx = bodies[j].x - b->x, dy = bodies[j].y - b->y;

			if (&bodies[j] != b)
				attract(&exact, bodies[j].mass, dx, dy, dx * dx + dy * dy);
		}
		error2 += (exact.ax - b->ax) * (exact.ax - b->ax) + (exact.ay - b->ay) * (exact.ay - b->ay);
		sum2 += exact.ax * exact.ax + exact.ay * exact.ay;
	}
	if (!(sqrt(error2 / sum2) < error_max))
		die("the forces are wrong by %.1f %%", 100 * sqrt(error2 / sum2));
}

static double random_between(double low, double high)
{
	static uint64_t x = 1991;

	x = x * 6364136223846793005u + 1442695040888963407u;
	return low + (high - low) * (double)(x >> 11) / (double)(1ull << 53);
}

/* A disc that turns, denser towards its middle. */
static void make_bodies(void)
{
	for (int i = 0; i < BODIES; i++) {
		double r = random_between(0.01, 1), angle = random_between(0, 2 * M_PI);

		bodies[i] = (struct body){ .mass = 1.0 / BODIES, .x = r * cos(angle), .y = r * sin(angle),
					   .vx = -sin(angle), .vy = cos(angle) };
	}
}

static void move_bodies(void)
{
	for (int i = 0; i < BODIES; i++) {
		struct body *b = &bodies[i];

		b->vx += step_length * b->ax;
		b->vy += step_length * b->ay;
		b->x += step_length * b->vx;
		b->y += step_length * b->vy;
	}
}

/* ---- the measurement ---- */

struct result {
	double loop_ns, step_ns, misses;
};

static struct result run_steps(uint64_t length_ns, unsigned percent, double loop_ns)
{
	uint64_t t_start = now_ns(), loops_ns = 0, steps_ns = 0;
	unsigned loops = 0, steps = 0;

	do {
		build_tree();
		write_tree(percent);
		if (!loop_ns && steps % BASELINE_EVERY == 0) {
			loops_ns += time_loop();
			loops++;
		}
		steps_ns += time_threads();
		if (steps++ == 0)
			check_forces();
		move_bodies();
	} while (now_ns() - t_start < length_ns);
	return (struct result){ loops ? (double)loops_ns / loops : loop_ns, (double)steps_ns / steps,
				(double)atomic_load(&misses) / steps };
}

/* What one copy alone takes without threads: the least of some, for the machine is ours now or never. */
static double least_loop_ns(void)
{
	uint64_t least = UINT64_MAX;

	build_tree();
	for (int i = 0; i < 5; i++) {
		uint64_t t = time_loop();

		least = t < least ? t : least;
	}
	return (double)least;
}

/* The other copy is this program after a fork; its figures come through a pipe. */
static struct result run_two(uint64_t length_ns, unsigned percent)
{
	double loop_ns = least_loop_ns();
	struct result mine, its;
	int fds[2];

	if (pipe(fds))
		die("pipe: %s", strerror(errno));
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	open_file();
	mine = run_steps(length_ns, percent, loop_ns);
	if (pid == 0)
		exit(write(fds[1], &mine, sizeof(mine)) != sizeof(mine));
	close(fds[1]);
	if (read(fds[0], &its, sizeof(its)) != sizeof(its))
		die("the other copy failed");
	waitpid(pid, NULL, 0);
	mine.step_ns = (mine.step_ns + its.step_ns) / 2;
	return mine;
}

void measure_nbody(const struct bench_args *args, unsigned percent, bool is_twice)
{
	struct result r;

	make_bodies();
	if (is_twice) {
		r = run_two(args->length_ns, percent);
	} else {
		open_file();
		r = run_steps(args->length_ns, percent, 0);
	}
	put("step", r.step_ns / 1e6, "ms");
	put("speedup", r.loop_ns / r.step_ns, "times");
	if (is_twice)		/* on 6 processors */
		paper_1991(args, "speedup", (struct in_1991){ 0, 1.29, 1.26, 2.45 }, "times");
	/* In the paper it is the best of the three where memory is short, and where two copies run. */
	if ((is_twice || percent < 100) && !strcmp(args->system, "upcall")) {
		bound_of("step", 1, "ms", "glibc");
		bound_of("step", 1, "ms", "upcall-none");
	}
	if (percent < 100)
		put("misses", r.misses, "blocks");
}
