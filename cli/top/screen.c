// SPDX-License-Identifier: BSD-2-Clause
#include "screen.h"

#include <ctype.h>
#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../look/look.h"

enum { ESCAPE = 27, WAIT_LEAST_MS = 20 };

/* What is on the screen. */
enum page { PAGE_LISTS, PAGE_STACK, PAGE_HELP };

static struct {
	enum page page;
	bool is_paused, is_typing;	/* typing: a filter */
	bool must_sample;
	size_t scroll;			/* of a page that is longer than the screen */
} screen;

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Without colour the attributes say the same. */
static attr_t look_of(enum style style)
{
	attr_t colour = has_colors() ? COLOR_PAIR(style) : 0;

	switch (style) {
	case STYLE_TITLE: return A_BOLD | colour;
	case STYLE_HEAD: return A_REVERSE | colour;
	case STYLE_CURSOR: return A_BOLD | A_UNDERLINE | colour;
	default: return A_NORMAL;
	}
}

static void put_line(int y, const char *text, enum style style)
{
	attrset(look_of(style));
	move(y, 0);
	for (int x = 0; x < COLS; x++) {
		/* Names are bytes of no known encoding. */
		unsigned char c = *text ? (unsigned char)*text++ : ' ';

		addch(c >= 0x20 && c < 0x7f ? c : '?');
	}
	attrset(A_NORMAL);
}

static void put_keys(const struct view *v)
{
	char text[200];

	if (screen.is_typing)
		snprintf(text, sizeof(text), "show threads with: %s_", v->filter);
	else if (screen.page != PAGE_LISTS)
		snprintf(text, sizeof(text), "Up, Down: scroll   any other key: back");
	else
		snprintf(text, sizeof(text), "%sq quit  h help  Tab next list  Enter %s  / filter  c t w z order",
			 screen.is_paused ? "STOPPED  " : "", v->pane == PANE_THREADS ? "stack" : "threads");
	put_line(LINES - 1, text, STYLE_TITLE);
}

static void draw(const struct view *v)
{
	size_t room = LINES > 1 ? (size_t)LINES - 1 : 0, first = screen.page == PAGE_LISTS ? 0 : screen.scroll;

	erase();
	for (size_t i = first; i < v->n && i - first < room; i++)
		put_line((int)(i - first), v->lines[i].text.text, v->lines[i].style);
	put_keys(v);
	refresh();
}

static void compose(struct top *top, struct view *v)
{
	v->width = COLS;
	v->height = LINES;
	if (screen.page == PAGE_LISTS) {
		view_begin(v);
		view_screen(v, top);
	}
	draw(v);
}

static void show_page(struct view *v, enum page page)
{
	uint32_t thread = v->thread;

	screen.page = page;
	screen.scroll = 0;
	view_begin(v);
	if (page == PAGE_STACK)
		view_stack(v, v->pid, thread);
	else
		view_help(v);
}

/* The cursor stays on its process, wherever the order puts it. */
static void follow_process(const struct top *top, struct view *v)
{
	size_t at = 0;

	while (at < top->n && top->processes[at]->pid != v->pid)
		at++;
	if (at == top->n)
		at = 0;
	v->cursor[PANE_PROCESSES] = at;
	v->pid = top->n ? top->processes[at]->pid : 0;
}

static void choose_process(const struct top *top, struct view *v)
{
	size_t at = v->cursor[PANE_PROCESSES];

	if (at >= top->n || top->processes[at]->pid == v->pid)
		return;
	v->pid = top->processes[at]->pid;
	v->cursor[PANE_VPROCS] = v->cursor[PANE_THREADS] = 0;
	screen.must_sample = true;
}

static void move_cursor(const struct top *top, struct view *v, long by)
{
	size_t *at = &v->cursor[v->pane], rows = v->rows[v->pane];
	long to = (long)*at + by;

	*at = to < 0 || !rows ? 0 : (size_t)to >= rows ? rows - 1 : (size_t)to;
	if (v->pane == PANE_PROCESSES)
		choose_process(top, v);
}

static void enter(struct view *v)
{
	if (v->pane != PANE_THREADS)
		v->pane = PANE_THREADS;
	else if (v->thread)
		show_page(v, PAGE_STACK);
}

/* True: it moves through a list. */
static bool is_movement(int key, long page, long *ret_by)
{
	switch (key) {
	case KEY_UP: case 'k': *ret_by = -1; return true;
	case KEY_DOWN: case 'j': *ret_by = 1; return true;
	case KEY_PPAGE: *ret_by = -page; return true;
	case KEY_NPAGE: *ret_by = page; return true;
	case KEY_HOME: case 'g': *ret_by = INT32_MIN; return true;
	case KEY_END: case 'G': *ret_by = INT32_MAX; return true;
	default: return false;
	}
}

static void type_filter(struct view *v, int key)
{
	size_t len = strlen(v->filter);

	if (key == '\n' || key == '\r' || key == KEY_ENTER) {
		screen.is_typing = false;
	} else if (key == ESCAPE) {
		screen.is_typing = false;
		v->filter[0] = 0;
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		v->filter[len ? len - 1 : 0] = 0;
	} else if (key < 127 && isprint(key) && len + 1 < sizeof(v->filter)) {
		v->filter[len] = (char)key;
		v->filter[len + 1] = 0;
	}
}

static void turn_page(const struct view *v, int key)
{
	size_t last = v->n > (size_t)LINES - 1 ? v->n - (size_t)LINES + 1 : 0;
	long by;

	if (key == KEY_RESIZE)
		return;
	if (!is_movement(key, LINES - 2, &by)) {
		screen.page = PAGE_LISTS;
		return;
	}
	long to = (long)screen.scroll + by;

	screen.scroll = to < 0 ? 0 : (size_t)to > last ? last : (size_t)to;
}

static void set_order(struct view *v, int key)
{
	int order = view_find_order_key(key);

	if (order >= 0)
		v->order = order;
	else
		screen.must_sample = true;
}

/* False: quit. */
static bool on_key(const struct top *top, struct view *v, int key)
{
	long by;

	if (screen.is_typing) {
		type_filter(v, key);
		return true;
	}
	if (screen.page != PAGE_LISTS) {
		turn_page(v, key);
		return true;
	}
	if (is_movement(key, LINES / 2, &by)) {
		move_cursor(top, v, by);
		return true;
	}
	switch (key) {
	case 'q': return false;
	case 'h': case '?': show_page(v, PAGE_HELP); break;
	case '\t': v->pane = (v->pane + 1) % PANES; break;
	case '\n': case '\r': case KEY_ENTER: enter(v); break;
	case '/': screen.is_typing = true; v->filter[0] = 0; break;
	case 'r': v->is_reversed = !v->is_reversed; break;
	case '+': v->delay = v->delay < 60 ? 2 * v->delay : v->delay; break;
	case '-': v->delay = v->delay > 0.2 ? v->delay / 2 : v->delay; break;
	case ' ': screen.is_paused = !screen.is_paused; break;
	case KEY_RESIZE: break;
	default: set_order(v, key);
	}
	return true;
}

static void begin(void)
{
	SCREEN *s = newterm(NULL, stdout, stdin);

	if (!s)
		die(1, "the terminal '%s' is not known; -b prints plain text", getenv("TERM") ? getenv("TERM") : "");
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	if (has_colors() && !getenv("NO_COLOR")) {
		start_color();
		use_default_colors();
		init_pair(STYLE_TITLE, -1, -1);
		init_pair(STYLE_HEAD, COLOR_CYAN, -1);
		init_pair(STYLE_CURSOR, COLOR_YELLOW, -1);
	}
}

/*
 * curses takes care of the signals that end or stop us, but of these two.  They come only while we wait for
 * a key, so that the terminal can be set right again in peace.
 */
static const int ends[] = { SIGHUP, SIGQUIT };
static volatile sig_atomic_t ended_by;
static sigset_t while_waiting;

static void on_end(int sig)
{
	ended_by = sig;
}

static void catch_ends(void)
{
	struct sigaction action = { .sa_handler = on_end }, old;
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &while_waiting);
	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (sigaction(ends[i], NULL, &old) || old.sa_handler == SIG_IGN)
			continue;
		sigaction(ends[i], &action, NULL);
		sigaddset(&blocked, ends[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, NULL);
}

/* As it would have ended us at once. */
static void end_by_signal(void)
{
	signal(ended_by, SIG_DFL);
	raise(ended_by);
	sigprocmask(SIG_SETMASK, &while_waiting, NULL);
}

/* Until the next look is due: the key that came, or ERR. */
static int wait_key(uint64_t due_ms)
{
	uint64_t now = now_ms(), ms = due_ms > now + WAIT_LEAST_MS ? due_ms - now : WAIT_LEAST_MS;
	struct timespec ts = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	timeout(0);
	int key = getch();	/* one that curses has read already */

	if (key != ERR)
		return key;
	ppoll(&in, 1, screen.is_paused ? NULL : &ts, &while_waiting);
	return ended_by ? ERR : getch();
}

void screen_run(struct top *top, struct view *v, unsigned long rounds)
{
	uint64_t due_ms = 0;
	unsigned long round = 0;
	bool goes_on = true;

	begin();
	catch_ends();
	screen.must_sample = true;
	while (goes_on && !ended_by) {
		uint64_t now = now_ms();

		if (screen.must_sample || (!screen.is_paused && now >= due_ms)) {
			top_sample(top, v->pid);
			pid_t before = v->pid;

			follow_process(top, v);
			screen.must_sample = v->pid != before;	/* its threads were not looked at */
			if (screen.must_sample)
				continue;
			/* Rates need two looks: the second one comes soon. */
			due_ms = now + (round ? (uint64_t)(v->delay * 1000) : 300);
			if (rounds && round == rounds)
				break;
			round++;
		}
		compose(top, v);
		int key = wait_key(due_ms);

		/* A terminal that is gone gives errors at once. */
		if (key != ERR)
			goes_on = on_key(top, v, key);
		else if (!isatty(STDIN_FILENO))
			break;
	}
	endwin();
	if (ended_by)
		end_by_signal();
}
